"""Models that belong to a tenant, and the manager that keeps them apart (contract §1).

A query without a tenant in context raises, a query with one sees that tenant's rows only, and a save
stamps the tenant or refuses another's. A query works only for whom it was made, and whatever would get past the
filter (raw SQL, a conflict on a key that tenants share, deleting by a bare id) is refused. ``unscoped`` is the one
way around; a test lists its uses.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from typing import Any, NoReturn, Self, TypeVar, cast
from uuid import UUID

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now

from apps.tenancy.context import current_tenant_id

M = TypeVar("M", bound=models.Model)


_TENANT = {"tenant", "tenant_id"}


class WrongTenant(RuntimeError):
    """Rows of one tenant were about to be read or written in the context of another: always a bug."""


class TenantQuerySet(models.QuerySet[M]):
    """Rows of the tenant it was made for, while that is the current one."""

    made_for: UUID | None = None

    @property
    def db(self) -> str:
        """Asked by Django before anything runs. A query is lazy: made in one context, it may run in another."""
        if self.made_for != current_tenant_id():
            raise WrongTenant(f"a query for {self.model.__name__} was made in another tenant's context")
        return super().db

    def bulk_create(
        self,
        objs: Iterable[M],
        batch_size: int | None = None,
        ignore_conflicts: bool = False,
        update_conflicts: bool = False,
        update_fields: Collection[str] | None = None,
        unique_fields: Collection[str] | None = None,
    ) -> list[M]:
        if update_conflicts:
            _check_conflicts(unique_fields or (), update_fields or ())
        return super().bulk_create(
            _stamped(objs), batch_size, ignore_conflicts, update_conflicts, update_fields, unique_fields
        )

    def bulk_update(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> int:
        return super().bulk_update(_stamped(objs), *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        if _TENANT & kwargs.keys():
            raise WrongTenant("a row does not change its tenant")
        return super().update(**kwargs)

    def raw(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WrongTenant("raw SQL is not filtered by tenant; a module of its own binds the tenant itself")

    def __or__(self, other: models.QuerySet[M]) -> Self:
        self._check_same_tenant(other)
        joined: Self = super().__or__(other)
        return joined

    def union(self, *others: models.QuerySet[Any], all: bool = False) -> Self:  # noqa: A002 -- Django's name
        self._check_same_tenant(*others)
        return super().union(*others, all=all)

    def _check_same_tenant(self, *others: models.QuerySet[Any]) -> None:
        if any(getattr(other, "made_for", None) != self.made_for for other in others):
            raise WrongTenant("rows of two tenants are not joined to one answer")

    def _clone(self) -> Self:
        copy: Self = super()._clone()  # type: ignore[misc]
        copy.made_for = self.made_for
        return copy


def _stamped(objs: Iterable[M]) -> list[M]:
    rows = list(objs)
    for row in rows:
        cast(TenantModel, row).stamp_tenant()
    return rows


def _check_conflicts(unique: Collection[str], changed: Collection[str]) -> None:
    """A key that tenants share, an id say, would find another's row and write to it."""
    if not _TENANT & set(unique):
        raise WrongTenant("a conflict counts within a tenant: its unique fields name the tenant")
    if _TENANT & set(changed):
        raise WrongTenant("a row does not change its tenant")


class TenantManager(models.Manager[M]):
    """Hands out the current tenant's rows, or raises."""

    def get_queryset(self) -> TenantQuerySet[M]:
        here = current_tenant_id()
        rows = TenantQuerySet[M](self.model, using=self._db).filter(tenant_id=here)
        rows.made_for = here
        return rows


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
        # Django deletes by the id alone, and a row that was never read may carry anybody's.
        if self._state.adding:
            raise WrongTenant(f"only a {type(self).__name__} that was read or saved can be deleted")
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
