"""API keys: who has which, and taking one away (contract §12.1). Their hashes are nobody's business."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin

from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.columns import TenantFilter
from apps.dashboard.ops.admin.confirming import Step
from apps.tenancy.api_keys import revoke_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import TenantApiKey


def _revoke(row: TenantApiKey) -> None:
    with tenant_context(row.tenant):
        revoke_key(row)


class KeyPage(ReadOnly):
    """Keys of all tenants, by what is shown of them."""

    list_display = ("token_prefix", "tenant", "name", "revoked_at", "environment", "created_at")
    list_filter = ("environment", ("revoked_at", admin.EmptyFieldListFilter), TenantFilter)
    search_fields = ("token_prefix", "name", "tenant__slug")
    search_help_text = "By the beginning of the key, its name or its community."
    fields = ("token_prefix", "name", "environment", "tenant", "created_at", "revoked_at")
    nothing_yet = "No key was made yet."
    steps: ClassVar = (
        Step(
            name="revoke",
            verb="Revoke",
            past="Revoked",
            warning="Whoever uses this key is refused from now on. It cannot be brought back.",
            perform=_revoke,
            applies=lambda row: row.revoked_at is None,
        ),
    )
