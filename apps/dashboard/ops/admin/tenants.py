"""Tenants: find one, see where its things are, suspend it, change what it is called (contract §1, §14.1)."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.confirming import Step
from apps.dashboard.ops.admin.forms import ServiceForm, SettingsField
from apps.dashboard.rows import every_tenant
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import set_status, update_tenant

_ACTIVE, _SUSPENDED = Tenant.Status.ACTIVE, Tenant.Status.SUSPENDED
# Words, the table, and how that is narrowed to one tenant; keys and people are kept under the live one.
_LINKS = (
    ("Jobs", "tenancy_queuejob", False),
    ("API keys", "tenancy_tenantapikey", True),
    ("Users", "tenancy_tenantuser", True),
    ("Backends", "integrations_integration", False),
    ("Runs", "agent_agentrun", False),
    ("Waiting for people", "agent_humanintervention", False),
)


class TenantForm(ServiceForm):
    """What an operator may change of a tenant."""

    display_name = forms.CharField(max_length=400)
    agent_name = forms.CharField(max_length=400, help_text="What the agent is called, here and in the twin.")
    timezone = forms.CharField(max_length=100, help_text="An IANA zone, such as Europe/Lisbon.")
    settings = SettingsField(
        help_text="Checked as a whole when saved. Who the agent is goes to the twin as well."
    )

    class Meta:
        model = Tenant
        fields = ("display_name", "agent_name", "timezone", "settings")

    def carry_out(self) -> Tenant:
        return update_tenant(self.instance, **{name: self.cleaned_data[name] for name in self.changed_data})


class TenantPage(ReadOnly):
    """The list of tenants, and each one's page."""

    form = TenantForm
    list_display = ("slug", "display_name", "standing", "environment", "twin", "created_at")
    list_filter = ("status", "environment")
    search_fields = ("slug", "display_name")
    search_help_text = "By slug or name."
    readonly_fields = ("slug", "standing", "environment", "twin", "created_at", "updated_at")
    fields = (
        "slug",
        "standing",
        "environment",
        "twin",
        "display_name",
        "agent_name",
        "timezone",
        "settings",
        "created_at",
        "updated_at",
    )
    steps: ClassVar = (
        Step(
            name="suspend",
            verb="Suspend",
            past="Suspended",
            warning="A suspended community takes no turns: its pages are not found, its keys are refused, its jobs "
            "rest or are skipped. Its shadow rests with it. Nothing is deleted.",
            perform=lambda row: set_status(row, _SUSPENDED),
            applies=lambda row: row.status != _SUSPENDED,
        ),
        Step(
            name="activate",
            verb="Activate",
            past="Activated",
            warning="Its pages, keys and jobs work again, everywhere within thirty seconds.",
            perform=lambda row: set_status(row, _ACTIVE),
            applies=lambda row: row.status != _ACTIVE,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return every_tenant().order_by(*self.newest_first)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form has done it."""

    def links_for(self, row: Tenant) -> list[tuple[str, str]]:
        live = row.live_tenant or row
        return [
            (
                words,
                f"{reverse(f'admin:{table}_changelist')}?{urlencode({'tenant': (live if of_live else row).slug})}",
            )
            for words, table, of_live in _LINKS
        ]

    @admin.display(description="status", ordering="status")
    def standing(self, row: Tenant) -> str:
        """Its own status, and what that comes to where its live community is not active."""
        own = Tenant.Status(row.status).label
        return f"{own}, rests with its live community" if own == _ACTIVE.label and not row.is_active else own

    @admin.display(description="twin")
    def twin(self, row: Tenant) -> str:
        if row.live_tenant is not None:
            return row.live_tenant.slug
        return ", ".join(shadow.slug for shadow in row.shadows.all()) or "—"
