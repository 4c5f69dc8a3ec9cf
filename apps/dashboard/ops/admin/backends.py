"""Tenants' backends: where they are and whether they answer, never what they are signed for with (contract §7)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.columns import TenantFilter, one_cell
from apps.integrations.models import Integration


class BackendPage(ReadOnly):
    """Backends of all tenants."""

    list_display = ("name", "tenant", "status", "manifest_fetched_at", "address", "environment")
    list_filter = ("status", "environment", TenantFilter)
    search_fields = ("name", "tenant__slug")
    search_help_text = "By name or community."
    fields = ("name", "tenant", "environment", "status", "address", "manifest_fetched_at", "created_at")
    nothing_yet = "No backend is registered yet."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return (
            super()
            .get_queryset(request)
            .defer("signing_secret", "callback_token", "manifest", "tool_overrides")
        )

    @admin.display(description="address")
    def address(self, row: Integration) -> str:
        return one_cell(without_credentials(row.base_url))


def without_credentials(address: str) -> str:
    """A web address without the name, password and query somebody may have put into it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "unreadable"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
