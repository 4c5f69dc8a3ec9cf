"""Who may use a web chat: holders of its token, or of the cookie it was traded for (contract §8.4)."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.channels.web.config import WebChannelConfig
from apps.foundation.environment import env
from apps.foundation.errors import Forbidden, NotFound, Unauthorized
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel
from apps.tenancy.tenants import find_tenant

COOKIE = "root_web"
COOKIE_SECONDS = 30 * 24 * 3600
_signer = signing.TimestampSigner(salt="root.web-chat")
Means = Literal["query", "header", "cookie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebChannel:
    """A community's web chat, open for use."""

    tenant: Tenant
    config: WebChannelConfig
    access_token: str = field(repr=False)


def open_channel(slug: str) -> WebChannel:
    """The active web chat of an active community; everything else is :class:`NotFound` alike."""
    tenant = find_tenant(slug)
    with tenant_context(tenant):
        row = TenantChannel.objects.filter(type=TenantChannel.Type.WEB).first()
    if row is None or row.status != TenantChannel.Status.ACTIVE or not tenant.is_active:
        raise NotFound("There is no web chat here.")
    return WebChannel(
        tenant=tenant, config=WebChannelConfig.read(row.config), access_token=_token_in(row.secrets)
    )


def admit(request: HttpRequest, channel: WebChannel) -> Means:
    """How the caller proved to hold the token, or :class:`Unauthorized`. A token sent wins over a cookie."""
    means, offered = _offered(request)
    if means == "cookie":
        _require_own_page(request)
        expected, offered = _fingerprint(channel), _unsigned(offered)
    else:
        expected = channel.access_token
    # An empty secret opens nothing, whatever was offered.
    if not channel.access_token or not hmac.compare_digest(_bytes(offered), _bytes(expected)):
        raise Unauthorized(
            "The access token is missing or not valid. Ask the community's admins for a current link."
        )
    return means


def set_cookie(response: HttpResponseBase, channel: WebChannel, *, request: HttpRequest) -> None:
    """Trades the token for a cookie that opens this community's chat only, until the token changes."""
    secure = request.is_secure() or (env().platform_base_url or "").startswith("https://")
    response.set_cookie(
        COOKIE,
        _signer.sign(_fingerprint(channel)),
        max_age=COOKIE_SECONDS,
        path=f"/web/{channel.tenant.slug}/",
        httponly=True,
        samesite="Lax",
        secure=secure,
    )


def _offered(request: HttpRequest) -> tuple[Means, str]:
    query = request.GET.get("token")
    if query is not None:
        return "query", query
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return "header", credentials.strip()
    return "cookie", request.COOKIES.get(COOKIE, "")


def _require_own_page(request: HttpRequest) -> None:
    """A browser sends the cookie along for other sites' pages too; only our own page may use it to act."""
    if request.method in {"GET", "HEAD"} or COOKIE not in request.COOKIES:
        return
    site = request.headers.get("Sec-Fetch-Site")
    own = site == "same-origin" if site is not None else _origin_host(request) == request.get_host()
    if not own:
        raise Forbidden("Questions are taken from the chat page itself only.")


def _origin_host(request: HttpRequest) -> str:
    try:
        return urlsplit(request.headers.get("Origin", "")).netloc
    except ValueError:
        return ""


def _unsigned(cookie: str) -> str:
    try:
        return _signer.unsign(cookie, max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return ""


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


def _fingerprint(channel: WebChannel) -> str:
    return hashlib.sha256(f"{channel.tenant.pk}:{channel.access_token}".encode()).hexdigest()


def _token_in(secrets: Any) -> str:
    token = secrets.get("access_token") if isinstance(secrets, dict) else None
    return token if isinstance(token, str) else ""
