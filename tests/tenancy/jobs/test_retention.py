"""Finished rows leave in time, unfinished ones never."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from apps.tenancy.jobs import retention
from apps.tenancy.models import QueueJob


def finished(state: str, age: timedelta, **fields: object) -> QueueJob:
    moment = timezone.now() - age
    return QueueJob.objects.create(
        queue="queue-metrics", key=f"{state}{age}{fields}", state=state, finished_at=moment, **fields
    )


def test_done_rows_stay_a_day_and_failed_ones_a_week(db: None) -> None:
    kept = [finished("done", timedelta(hours=23)), finished("failed", timedelta(days=6))]
    finished("done", timedelta(hours=25))
    finished("failed", timedelta(days=8))
    assert retention.sweep() == 2
    assert set(QueueJob.objects.values_list("id", flat=True)) == {row.id for row in kept}


def test_unfinished_rows_stay_for_ever(db: None) -> None:
    old = QueueJob.objects.create(queue="queue-metrics", key="old")
    QueueJob.objects.filter(pk=old.pk).update(
        created_at="2020-01-01T00:00:00Z", run_after="2020-01-01T00:00Z"
    )
    assert retention.sweep() == 0


def test_two_hundred_ticks_of_a_queue_are_enough(db: None) -> None:
    for minute in range(203):
        finished("done", timedelta(minutes=minute), tick=True)
    assert retention.sweep() == 3
    oldest = QueueJob.objects.order_by("finished_at")[0].finished_at
    assert oldest is not None
    assert timezone.now() - oldest < timedelta(minutes=201)
