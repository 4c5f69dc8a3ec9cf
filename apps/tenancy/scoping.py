"""Models that belong to a tenant, and the manager that keeps them apart (contract §1).

A query without a tenant in context raises, a query with one sees that tenant's rows only, and a save
stamps the tenant or refuses another's. ``unscoped`` is the one way around; a test lists its uses.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now

from apps.tenancy.context import current_tenant_id

M = TypeVar("M", bound=models.Model)


class WrongTenant(RuntimeError):
    """A row of one tenant was about to be written in the context of another: always a bug."""


class TenantQuerySet(models.QuerySet[M]):
    """Rows of the current tenant."""

    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        rows = list(objs)
        for row in rows:
            cast(TenantModel, row).stamp_tenant()
        return super().bulk_create(rows, *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        if {"tenant", "tenant_id"} & kwargs.keys():
            raise WrongTenant("a row does not change its tenant")
        return super().update(**kwargs)


class TenantManager(models.Manager[M]):
    """Hands out the current tenant's rows, or raises."""

    def get_queryset(self) -> TenantQuerySet[M]:
        return TenantQuerySet[M](self.model, using=self._db).filter(tenant_id=current_tenant_id())


class TenantModel(models.Model):
    """Base of every table with a ``tenant_id``."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    tenant = models.ForeignKey("tenancy.Tenant", on_delete=models.CASCADE, related_name="+", db_index=False)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    objects: TenantManager[Any] = TenantManager()

    class Meta:
        abstract = True
        base_manager_name = "objects"
        default_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.stamp_tenant()
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self.stamp_tenant()
        return super().delete(*args, **kwargs)

    def stamp_tenant(self) -> None:
        """Writes the current tenant into the row, or refuses a row that names another."""
        here = current_tenant_id()
        if (self.tenant_id or here) != here:
            raise WrongTenant(f"{type(self).__name__} belongs to another tenant")
        self.tenant_id = here


def unscoped(model: type[M]) -> models.QuerySet[M]:
    """Every tenant's rows: for platform sweeps and the operators' admin only."""
    return models.QuerySet(model)
