"""Rows of all tenants at once (contract §1).

For operators of the platform, and for whoever asks where they have a role. Nothing else in the dashboard reaches
past the tenant of its context.
"""

from __future__ import annotations

from typing import TypeVar

from django.db import models
from django.db.models.functions import Lower

from apps.tenancy.models import Tenant, TenantUser
from apps.tenancy.scoping import TenantModel, unscoped

M = TypeVar("M", bound=models.Model)


def every_row(model: type[M]) -> models.QuerySet[M]:
    """All rows of a table, each with its tenant where it has one; changing them is the business of services."""
    rows = unscoped(model)
    return rows.select_related("tenant") if issubclass(model, TenantModel) else rows


def every_tenant() -> models.QuerySet[Tenant]:
    """All tenants, each with its twin."""
    return Tenant.objects.select_related("live_tenant").prefetch_related("shadows")


def roles_of(email: str) -> list[tuple[str, str]]:
    """Slug and role in each active community this address is listed in."""
    listed = every_row(TenantUser).alias(address=Lower("email")).filter(address=email.lower())
    active = listed.filter(tenant__status=Tenant.Status.ACTIVE).order_by("tenant__slug")
    return [(row.tenant.slug, row.role) for row in active]
