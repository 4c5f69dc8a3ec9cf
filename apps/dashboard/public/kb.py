"""``/kb/:tenantSlug/:publicId``: a page of a knowledge base, public or by personal link (contract §10.5, §14.2)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from apps.agent.readers import audience_of
from apps.foundation.environment import env
from apps.foundation.errors import Forbidden, NotFound, RootError
from apps.foundation.html import safe_link, sanitize_html
from apps.knowledge import links
from apps.knowledge.models import KnowledgePage
from apps.knowledge.page_addresses import is_open, page_path, site_address
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import find_tenant

COOKIE: Final = "root_kb"
CONTENT_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
}
LOOKED_AT: Final = "Open this link in your browser to read the page."
# Programs that look at an address before its reader does; a browser names none of these.
_PREVIEWS: Final = re.compile(
    # Cubot makes telephones.
    r"(?<!cu)bot\b|crawler|spider|preview|slack-imgproxy|facebookexternalhit|whatsapp/|embedly|proofpoint|mimecast"
    r"|barracuda|urlscan|safelinks",
    re.IGNORECASE,
)


@require_safe
def page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """``GET``: the page, or a plain refusal that tells nothing of it."""
    tenant = None
    try:
        tenant = _open_community(slug)
        with tenant_context(tenant):
            response = _answer(request, tenant, public_id)
    except (NotFound, Forbidden) as error:
        response = _refused(request, error, tenant)
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


def _answer(request: HttpRequest, tenant: Tenant, public_id: str) -> HttpResponse:
    browser, token = request.COOKIES.get(COOKIE, ""), request.GET.get("token")
    if token is None:
        shown = links.read_bare(public_id, browser=browser, audience_of=audience_of)
        return _shown(request, tenant, shown)
    if not _is_a_reader(request):
        raise Forbidden(LOOKED_AT)
    cookie = links.open_link(public_id, token=token, browser=browser, audience_of=audience_of)
    response = HttpResponseRedirect(request.path)
    if cookie is not None:
        response.set_cookie(
            COOKIE,
            cookie,
            max_age=int(links.BROWSER_LASTS.total_seconds()),
            path=f"/kb/{tenant.slug}/",
            httponly=True,
            samesite="Lax",
            secure=env().is_production or request.is_secure(),
        )
    return response


def _is_a_reader(request: HttpRequest) -> bool:
    """Is this somebody opening the page? Previews, prefetching and frames of other sites must not use a link up."""
    headers = request.headers
    if request.method != "GET" or "prefetch" in headers.get("Sec-Purpose", headers.get("Purpose", "")):
        return False
    if headers.get("Sec-Fetch-Dest", "document") != "document":
        return False
    return _PREVIEWS.search(headers.get("User-Agent", "")) is None


def _open_community(slug: str) -> Tenant:
    tenant = find_tenant(slug)
    if not tenant.is_active:
        raise NotFound("There is no such community.")
    return tenant


def _shown(request: HttpRequest, tenant: Tenant, shown: KnowledgePage) -> HttpResponse:
    source = safe_link(shown.source_url)
    context: dict[str, Any] = {
        "tenant": tenant,
        "page": shown,
        "personal": not is_open(shown),
        # What is stored was cleaned when it came; what we have learned since holds for it as well.
        "content": mark_safe(sanitize_html(shown.content_html)),  # noqa: S308
        "source": source if source and source.startswith(("http://", "https://")) else None,
        "source_host": (urlsplit(source).hostname or "") if source else "",
        "as_of": _local(shown.last_synced_at or shown.updated_at, tenant),
        "address": f"{site_address() or ''}{page_path(shown)}",
    }
    response = render(request, "kb/page.html", context)
    if context["personal"]:
        response.headers["X-Robots-Tag"] = "noindex, noarchive"
    return response


def _refused(request: HttpRequest, error: RootError, tenant: Tenant | None) -> HttpResponse:
    missing = isinstance(error, NotFound)
    context = {
        "heading": "Nothing here" if missing else "Not open here",
        "message": "There is no page at this address (any more)." if missing else error.message,
        "agent": tenant.agent_name if tenant is not None and not missing else "",
    }
    response = render(request, "kb/refused.html", context, status=404 if missing else 403)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _local(moment: datetime, tenant: Tenant) -> datetime:
    try:
        return moment.astimezone(ZoneInfo(tenant.timezone))
    except (ValueError, LookupError, OSError):
        return moment
