"""How long runs stay, and what was delivered with them (contract §11.2)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from apps.foundation.clock import now
from apps.knowledge.models import KnowledgeSyncRun
from apps.tenancy.scoping import unscoped

KEEP_RUNS: Final = timedelta(days=30)
# The pages hold it by then; of a failed run it can be looked at for a week.
KEEP_DOCUMENTS: Final = timedelta(days=7)
_BATCH: Final = 500


def sweep() -> int:
    """Deletes old runs and empties older deliveries, of all communities and a batch at once."""
    settled = unscoped(KnowledgeSyncRun).filter(finished_at__isnull=False)
    old = list(settled.filter(finished_at__lt=now() - KEEP_RUNS).values_list("pk", flat=True)[:_BATCH])
    count = int(unscoped(KnowledgeSyncRun).filter(pk__in=old)._raw_delete("default")) if old else 0
    heavy = settled.filter(finished_at__lt=now() - KEEP_DOCUMENTS, input_payload__has_key="documents")
    ids = list(heavy.values_list("pk", flat=True)[:_BATCH])
    if ids:
        count += unscoped(KnowledgeSyncRun).filter(pk__in=ids).update(input_payload={})
    return count
