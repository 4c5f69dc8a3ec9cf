"""Celery beat's database schedule, written from the queue table; its ticks only enqueue (contract §13)."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from apps.foundation import queues
from apps.foundation.clock import now
from apps.tenancy.jobs import registry
from apps.tenancy.jobs.enqueue import enqueue_tick

TICK = "root.tick"
_PREFIX = "root: "


def write_beat_rows() -> None:
    """Brings the rows in line with the queues; only the operator's pause (`enabled`) is left alone."""
    wanted = [row for row in registry.handled() if row.schedule_seconds is not None]
    with transaction.atomic():
        stale = PeriodicTask.objects.filter(task=TICK)
        stale.exclude(name__in=[_PREFIX + row.name for row in wanted]).delete()
        for row in wanted:
            _write(row)


def _write(row: queues.Queue) -> None:
    seconds = row.schedule_seconds or 0
    interval, _ = IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)
    fixed = {
        "task": TICK,
        "interval": interval,
        "args": f'["{row.name}"]',
        "kwargs": "{}",
        "description": f"Puts a tick into {row.name}. Pause it here; the rest is written at each start.",
    }
    found, created = PeriodicTask.objects.get_or_create(
        # Without a last run beat waits a whole interval from each start: six hours would never pass.
        name=_PREFIX + row.name,
        defaults=fixed | {"last_run_at": now() - timedelta(seconds=seconds)},
    )
    if not created and any(getattr(found, name) != value for name, value in fixed.items()):
        for name, value in fixed.items():
            setattr(found, name, value)
        found.save()


class TickScheduler(DatabaseScheduler):  # type: ignore[misc]
    """Writes ticks straight into the job table: schedules outlive a Redis that is down."""

    producer = None

    def install_default_entries(self, data: Any) -> None:
        """None: there are no results to clean up."""

    def enabled_models_qs(self) -> "QuerySet[PeriodicTask]":
        """Our rows only; what an operator may have added by hand is not run."""
        found: QuerySet[PeriodicTask] = super().enabled_models_qs().filter(task=TICK)
        return found

    def apply_async(self, entry: Any, advance: bool = True, **_: Any) -> None:
        """What beat calls when an entry is due."""
        due = self.reserve(entry) if advance else entry
        try:
            enqueue_tick(due.args[0])
        finally:
            self._tasks_since_sync += 1
            if self.should_sync():
                self._do_sync()
