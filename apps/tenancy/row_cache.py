"""Tenant rows as this process last read them, for thirty seconds (contract §1)."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.signals import post_delete, post_save

from apps.foundation.database import in_application_transaction
from apps.foundation.ttl_cache import TtlCache
from apps.tenancy.models import Tenant

SECONDS = 30
_by_slug: TtlCache[str, Tenant] = TtlCache(SECONDS)
_by_id: TtlCache[UUID, Tenant] = TtlCache(SECONDS)
_lock = threading.Lock()
_changes = 0


def cached(*, slug: str | None = None, tenant_id: UUID | None = None) -> Tenant | None:
    """The row under this slug or id, if it was read lately."""
    if slug is not None:
        return _by_slug.get(slug)
    return None if tenant_id is None else _by_id.get(tenant_id)


def read(**where: Any) -> Tenant | None:
    """One row from the database, kept for next time; its live row comes along, since its status counts too."""
    before = _changes
    row = Tenant.objects.select_related("live_tenant").filter(**where).first()
    # What a transaction reads it may undo; what was read before a change is old.
    if row is not None and not in_application_transaction():
        with _lock:
            if before == _changes:
                _by_slug.put(row.slug, row)
                _by_id.put(row.pk, row)
    return row


def forget() -> None:
    """Every row is read anew, from now and again once others can see what this transaction changed.

    All of them, since a row is part of its twin as well, and changes are rare.
    """
    _forget_now()
    transaction.on_commit(_forget_now, robust=True)


def _forget_now() -> None:
    global _changes  # noqa: PLW0603 -- a counter of this process
    with _lock:
        _changes += 1
        _by_slug.clear()
        _by_id.clear()


def _tenant_changed(**_: Any) -> None:
    forget()


post_save.connect(_tenant_changed, sender=Tenant, dispatch_uid="tenancy.row_cache.saved")
post_delete.connect(_tenant_changed, sender=Tenant, dispatch_uid="tenancy.row_cache.deleted")
