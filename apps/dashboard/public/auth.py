"""Signing in and out, and who one is (contract §14.1). Who may is decided in ``tenancy.sessions``."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.dashboard.rows import roles_of
from apps.foundation.environment import env
from apps.foundation.errors import Forbidden, RootError
from apps.tenancy.sessions import sign_in, sign_out, signed_in

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def dev_login_is_open() -> bool:
    """May somebody sign in by naming an address? Never in production, whatever was set."""
    return env().auth_dev_bypass and not env().is_production


@never_cache
@require_safe
def dev_login(request: HttpRequest) -> HttpResponse:
    """``GET /auth/dev-login?email=…&next=…``: signs in whoever is listed; without an address it asks for one."""
    email = request.GET.get("email", "").strip()
    if not email:
        return _page(request, "auth/dev_login.html", {"next": request.GET.get("next", "")})
    try:
        known = sign_in(request, email)
    except RootError as error:
        status = 403 if isinstance(error, Forbidden) else 400
        shown = {"message": error.message, "next": request.GET.get("next", "")}
        return _page(request, "auth/dev_login.html", shown, status=status)
    return HttpResponseRedirect(
        local_address(request.GET.get("next")) or ("/admin/" if known.operator else "/")
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def logout(request: HttpRequest) -> HttpResponse:
    """``POST /auth/logout`` ends the session; GET shows the button, since a picture could ask for an address."""
    if request.method == "POST":
        sign_out(request)
        return HttpResponseRedirect("/")
    known = signed_in(request)
    if known is None:
        return HttpResponseRedirect("/")
    return _page(request, "auth/logout.html", {"email": known.email})


@never_cache
@require_safe
def me(request: HttpRequest) -> JsonResponse:
    """``GET /auth/me``: who is signed in and where they have a role of their own."""
    known = signed_in(request)
    if known is None:
        error = {"code": "unauthorized", "message": "Nobody is signed in."}
        return JsonResponse({"error": error}, status=401)
    roles = [{"slug": slug, "role": role} for slug, role in roles_of(known.email)]
    return JsonResponse({"email": known.email, "operator": known.operator is not None, "tenants": roles})


def local_address(wanted: str | None) -> str | None:
    """The path to go on to, if it is one of ours; never another site's address."""
    if not wanted or not wanted.startswith("/") or not wanted.isprintable():
        return None
    return wanted if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else None


def auth_urls(*, dev_login_open: bool) -> list[URLPattern]:
    """The addresses of this deployment; the development login is among them only where it is open."""
    always = [path("auth/logout", logout, name="logout"), path("auth/me", me, name="me")]
    return [*always, path("auth/dev-login", dev_login, name="dev-login")] if dev_login_open else always


def _page(request: HttpRequest, template: str, context: dict[str, str], *, status: int = 200) -> HttpResponse:
    response = render(request, template, context, status=status)
    response.headers["Content-Security-Policy"] = CONTENT_POLICY
    return response
