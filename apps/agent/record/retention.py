"""How long the record of turns stays (contract §4.7)."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import QuerySet

from apps.agent.models import AgentRun, AgentToolCall, CallState, RunProduct
from apps.foundation import clock
from apps.tenancy.scoping import TenantModel, unscoped

KEEP = timedelta(days=30)
KEEP_RESULTS = timedelta(days=1)
_BATCH = 5_000


def sweep() -> int:
    """Deletes what is past its time, of all communities and a batch at once; returns the number of rows.

    Results of actions go after a day: until then a turn may be run again, and would have to repeat them.
    """
    now = clock.now()
    _forget_results(before=now - KEEP_RESULTS)
    tables: list[type[TenantModel]] = [AgentToolCall, RunProduct, AgentRun]
    return sum(_delete(unscoped(table).filter(created_at__lt=now - KEEP)) for table in tables)


def _delete(old: QuerySet[TenantModel]) -> int:
    ids = list(old.values_list("pk", flat=True)[:_BATCH])
    if not ids:
        return 0
    # Nothing refers to these rows, so they go in one statement without being looked at.
    return int(unscoped(old.model).filter(pk__in=ids)._raw_delete(old.db))


def _forget_results(*, before: object) -> None:
    stale = unscoped(AgentToolCall).filter(result__isnull=False, state=CallState.DONE, created_at__lt=before)
    ids = list(stale.values_list("pk", flat=True)[:_BATCH])
    if ids:
        unscoped(AgentToolCall).filter(pk__in=ids).update(result=None)
