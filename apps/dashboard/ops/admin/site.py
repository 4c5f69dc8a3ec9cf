"""The operators' admin: Django's, without its passwords, under a strict policy (contract §14.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from apps.dashboard.ops.admin.overview import queues_page
from apps.dashboard.ops.admin.sections import sections
from apps.dashboard.public.auth import dev_login_is_open
from apps.tenancy.models import Operator
from apps.tenancy.sessions import sign_out, signed_in

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Passwords; pages that find a row of any model by its content type; look-ups no form of ours asks for.
_LEFT_OUT = {"password_change", "password_change_done", "view_on_site", "autocomplete"}


class OperatorsSite(admin.AdminSite):
    """Opens to whoever is signed in and stands on the list of platform admins at this moment."""

    site_header = "Root operators"
    site_title = "Root operators"
    index_title = "The platform"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        return isinstance(request.user, Operator) and request.user.is_active

    def get_urls(self) -> list[URLPattern | URLResolver]:
        own = [path("queues/", self.admin_view(self.queues), name="queues")]
        return own + [found for found in super().get_urls() if getattr(found, "name", None) not in _LEFT_OUT]

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        inner = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
            return _under_policy(inner(request, *args, **options))

        return guarded

    def queues(self, request: HttpRequest) -> HttpResponse:
        """How the queues stand."""
        return queues_page(request, self.each_context(request))

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Says how to sign in; there is nothing to type here."""
        if self.has_permission(request):
            return _under_policy(HttpResponseRedirect(reverse("admin:index")))
        known = signed_in(request)
        context = {
            **self.each_context(request),
            "title": "Sign in",
            "dev_login": reverse("dev-login") if dev_login_is_open() else None,
            "next": request.GET.get("next", ""),
            # Whoever is signed in but no operator is told so, rather than sent in circles.
            "stranger": None if known is None else known.email,
        }
        return _under_policy(TemplateResponse(request, "ops/sign_in.html", context))

    @method_decorator(require_POST)
    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        sign_out(request)
        return HttpResponseRedirect(reverse("admin:login"))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        found = super().get_app_list(request, app_label)
        return found if app_label is not None else sections(found, queues=reverse("admin:queues"))

    def app_index(
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Our sections cross Django's apps, so an app has no page of its own."""
        return HttpResponseRedirect(reverse("admin:index"))


def _under_policy(response: HttpResponse) -> HttpResponse:
    response.headers["Content-Security-Policy"] = CONTENT_POLICY
    return response


site = OperatorsSite()
