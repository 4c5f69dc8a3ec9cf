"""Thresholds: `queue-metrics` runs as a tick, looks at real rows and tells whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.tenancy.jobs import alerts, enqueue, enqueue_tick, run_due
from apps.tenancy.jobs.alerts import QueueAlert
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.models.jobs import QueueJobEvent

QUEUE = "conversation-memory"


@pytest.fixture
def heard() -> Iterator[list[QueueAlert]]:
    """What one more listener is told."""
    told: list[QueueAlert] = []
    alerts.ALERTED.append(told.append)
    yield told
    alerts.ALERTED.remove(told.append)


@pytest.fixture(autouse=True)
def _low_thresholds(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(
        update={
            "root_queue_alert_depth": 3,
            "root_queue_alert_lag_seconds": 60,
            "root_queue_alert_failures": 2,
        }
    )


def tick() -> None:
    QueueJob.objects.filter(queue="queue-metrics").delete()
    enqueue_tick("queue-metrics")
    assert run_due("queue-metrics") == 1
    assert QueueJob.objects.get(queue="queue-metrics").state == "done"


def due(count: int, *, since: timedelta = timedelta(0)) -> None:
    for _ in range(count):
        job_id = enqueue(QUEUE, payload={})
        QueueJob.objects.filter(pk=job_id).update(run_after=timezone.now() - since)


def failed(count: int, *, ago: timedelta = timedelta(0)) -> None:
    for _ in range(count):
        event = QueueJobEvent.objects.create(
            queue=QUEUE, job_id="00000000-0000-4000-8000-000000000001", status="failed"
        )
        QueueJobEvent.objects.filter(pk=event.pk).update(created_at=timezone.now() - ago)


def told(heard: list[QueueAlert]) -> list[tuple[str, str, int]]:
    return [(alert.queue, alert.cause, alert.threshold) for alert in heard]


def test_quiet_queues_alert_nobody(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    tick()
    assert heard == []


def test_a_value_at_its_threshold_is_not_past_it(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    due(3)
    failed(2)
    tick()
    assert heard == []


def test_depth(in_tenant: Tenant, heard: list[QueueAlert], caplog: pytest.LogCaptureFixture) -> None:
    due(4)
    with caplog.at_level(logging.WARNING, logger="apps.tenancy.jobs.alerts"):
        tick()
    assert told(heard) == [(QUEUE, "depth", 3)]
    assert heard[0].value == 4
    assert heard[0].sentence.startswith(f"4 jobs of {QUEUE} are due")
    assert heard[0].sentence in caplog.text


def test_lag(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    due(1, since=timedelta(minutes=2))
    tick()
    assert told(heard) == [(QUEUE, "lag", 60)]
    assert 120 <= heard[0].value < 180


def test_failures_of_the_last_ten_minutes(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    failed(3, ago=timedelta(minutes=11))
    tick()
    assert heard == []
    failed(3, ago=timedelta(minutes=9))
    tick()
    assert told(heard) == [(QUEUE, "failures", 2)]


def test_every_cause_is_told_with_every_tick(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    due(4, since=timedelta(minutes=2))
    failed(3)
    tick()
    tick()
    assert [alert.cause for alert in heard] == ["depth", "lag", "failures"] * 2


def test_delayed_rows_are_no_backlog(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    for _ in range(9):
        enqueue(QUEUE, payload={}, delay=timedelta(hours=1))
    tick()
    assert heard == []


def test_a_queue_nobody_works_on_says_so(in_tenant: Tenant, heard: list[QueueAlert]) -> None:
    for number in range(4):
        QueueJob.objects.create(queue="renamed-away", key=str(number), tenant=in_tenant)
    tick()
    assert told(heard) == [("renamed-away", "depth", 3)]
    assert "Nothing in this release works on" in heard[0].sentence


def test_a_listener_that_fails_keeps_nobody_else_from_hearing(
    in_tenant: Tenant, heard: list[QueueAlert]
) -> None:
    def broken(alert: QueueAlert) -> None:
        raise RuntimeError

    alerts.ALERTED.insert(0, broken)
    try:
        due(4)
        tick()
    finally:
        alerts.ALERTED.remove(broken)
    assert told(heard) == [(QUEUE, "depth", 3)]
