"""Who may sign in: the users of each tenant, and the operators of the platform (contract §2.2, §14.1)."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest

from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.columns import TenantFilter
from apps.dashboard.ops.admin.confirming import Step
from apps.dashboard.ops.admin.forms import ServiceForm, Slug
from apps.dashboard.rows import every_row
from apps.foundation.errors import BadInput
from apps.foundation.text import clean
from apps.tenancy import dashboard_users, platform_admins
from apps.tenancy.context import tenant_context
from apps.tenancy.dashboard_users import PLATFORM
from apps.tenancy.models import PlatformAdmin, TenantUser
from apps.tenancy.tenants import find_tenant


class UserForm(ServiceForm):
    """Somebody new; of somebody known only the role changes."""

    community = Slug(help_text="The slug of a live community. Its shadow has the same people.")
    email = forms.CharField(max_length=400, label="E-mail")
    role = forms.ChoiceField(choices=TenantUser.Role.choices, initial=TenantUser.Role.VIEWER)

    class Meta:
        model = TenantUser
        fields = ("email", "role")

    def carry_out(self) -> TenantUser:
        given = self.cleaned_data
        if not self.instance._state.adding:
            with tenant_context(self.instance.tenant):
                dashboard_users.change_role(self.instance.email, role=given["role"], by=PLATFORM)
            return every_row(TenantUser).get(pk=self.instance.pk)
        tenant = find_tenant(clean(given["community"].strip()))
        if tenant.live_tenant_id is not None:
            raise BadInput("A shadow has the people of its live community; name that.")
        with tenant_context(tenant):
            made = dashboard_users.invite(given["email"], role=given["role"], by=PLATFORM)
        return every_row(TenantUser).get(pk=made.pk)


def _remove_user(row: TenantUser) -> None:
    with tenant_context(row.tenant):
        dashboard_users.remove(row.email, by=PLATFORM)


class UserPage(ReadOnly):
    """Users of tenants' dashboards."""

    form = UserForm
    list_display = ("email", "role", "tenant", "created_at")
    list_filter = ("role", TenantFilter)
    search_fields = ("email", "tenant__slug")
    search_help_text = "By address or community."
    nothing_yet = "Nobody is listed."
    steps: ClassVar = (
        Step(
            name="remove",
            verb="Remove",
            past="Removed",
            warning="They can no longer sign in to this community, from their next click on.",
            perform=_remove_user,
        ),
    )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("community", "email", "role") if obj is None else ("tenant", "email", "role", "created_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("tenant", "email", "created_at")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form = super().get_form(request, obj, change, **options)
        if obj is not None:
            del form.base_fields["community"]
        return form

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form has done it."""


class PlatformAdminForm(ServiceForm):
    """An address that may operate the platform."""

    email = forms.CharField(max_length=400, label="E-mail")

    class Meta:
        model = PlatformAdmin
        fields = ("email",)

    def carry_out(self) -> PlatformAdmin:
        return platform_admins.add_platform_admin(self.cleaned_data["email"])


class PlatformAdminPage(ReadOnly):
    """Who sees these pages, and counts as an owner of every tenant."""

    form = PlatformAdminForm
    list_display = ("email", "created_at")
    search_fields = ("email",)
    nothing_yet = "Nobody is listed."
    steps: ClassVar = (
        Step(
            name="remove",
            verb="Remove",
            past="Removed",
            warning="They can no longer operate the platform, from their next click on.",
            perform=lambda row: platform_admins.remove_platform_admin(row.email),
        ),
    )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("email",) if obj is None else ("email", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form has done it."""
