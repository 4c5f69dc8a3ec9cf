"""Locks of one tenant that last to the end of the transaction (contract §11.2, §15.3)."""

from __future__ import annotations

from django.db import connection

from apps.tenancy.context import current_tenant_id

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def lock_sources() -> None:
    """One at a time makes a source, so that the quota is counted right."""
    _lock("sources")


def lock_syncs() -> None:
    """One at a time begins a sync, so that the cap is counted right."""
    _lock("syncs")


def _lock(what: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [f"knowledge:{what}:{current_tenant_id()}"])
