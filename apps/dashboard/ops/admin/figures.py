"""How many jobs ended in each hour of the last day, per queue (contract §2.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.db.models.functions import TruncHour

from apps.foundation import clock
from apps.tenancy.models import QueueJobEvent

HOURS = 24


@dataclass(frozen=True, slots=True)
class Hours:
    """A queue's last day: completed and failed jobs, an entry an hour, oldest first."""

    completed: list[int] = field(default_factory=lambda: [0] * HOURS)
    failed: list[int] = field(default_factory=lambda: [0] * HOURS)


def last_day() -> dict[str, Hours]:
    """Every queue in which a job has ended since yesterday."""
    first = clock.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS - 1)
    found: dict[str, Hours] = {}
    for queue, hour, completed, failed in _counted(first):
        place = int((hour - first).total_seconds() // 3600)
        if 0 <= place < HOURS:
            day = found.setdefault(queue, Hours())
            day.completed[place], day.failed[place] = completed, failed
    return found


def _counted(first: datetime) -> list[tuple[str, datetime, int, int]]:
    rows = (
        QueueJobEvent.objects.filter(created_at__gte=first)
        .values_list("queue", TruncHour("created_at"))
        .annotate(
            completed=Count("id", filter=Q(status=QueueJobEvent.Status.COMPLETED)),
            failed=Count("id", filter=Q(status=QueueJobEvent.Status.FAILED)),
        )
    )
    return list(rows)
