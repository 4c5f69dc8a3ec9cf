"""One event a job that ended for good, written with the row's own end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.foundation import queues
from apps.foundation.errors import Unavailable
from apps.tenancy.jobs import GiveUp, Job, Later, enqueue, enqueue_tick, retention, run_due, settle
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.silence import take_back_silent
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.models.jobs import QueueJobEvent
from tests.tenancy.jobs.conftest import Handle, make_due, nothing, only, silence

QUEUE = "conversation-memory"


def events() -> list[tuple[str, str, str]]:
    return [(e.queue, e.status, e.error) for e in QueueJobEvent.objects.order_by("id")]


def test_a_done_job_leaves_one_event_with_its_duration(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        QueueJob.objects.filter(pk=job.id).update(claimed_at=timezone.now() - timedelta(seconds=90))

    handle(QUEUE, run)
    job_id = enqueue(QUEUE, payload={})
    run_due(QUEUE)
    event = QueueJobEvent.objects.get()
    assert (event.queue, event.job_id, event.status, event.error) == (QUEUE, job_id, "completed", "")
    assert event.duration_ms is not None
    assert 90_000 <= event.duration_ms < 150_000


def test_a_tick_leaves_one_too(db: None, handle: Handle) -> None:
    handle("principal-roster-sweep", nothing)
    enqueue_tick("principal-roster-sweep")
    run_due("principal-roster-sweep")
    assert events() == [("principal-roster-sweep", "completed", "")]


def test_attempts_that_are_followed_by_another_leave_none(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise Unavailable("The model does not answer.")

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    counts = []
    for _ in range(3):
        run_due(QUEUE)
        make_due(QUEUE)
        counts.append(len(events()))
    assert counts == [0, 0, 1]
    assert events() == [(QUEUE, "failed", "unavailable: The model does not answer.")]


def test_asking_for_time_and_handing_back_leave_none(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise Later(timedelta(minutes=1))

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert events() == []


def test_a_job_that_gave_up_has_failed(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise GiveUp("the source is gone")

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert events() == [(QUEUE, "failed", "the source is gone")]


def test_a_claim_lost_for_good_has_failed(in_tenant: Tenant) -> None:
    enqueue("follow-up-run", payload={})
    assert claim(queues.queue("follow-up-run"))
    silence("follow-up-run")
    assert take_back_silent() == 1
    assert events() == [("follow-up-run", "failed", "its worker went silent")]


def test_a_run_whose_claim_was_lost_leaves_no_second_event(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    old = claim(queues.queue(QUEUE))
    silence(QUEUE)
    take_back_silent()
    new = claim(queues.queue(QUEUE))
    assert old and new
    assert settle.finish(old) is False
    assert settle.finish(new) is True
    assert settle.finish(new) is False
    assert events() == [(QUEUE, "completed", "")]


def test_the_end_and_its_event_are_one(committed_db: None, in_tenant: Tenant) -> None:
    """Where the event cannot be written the row has not ended either."""
    enqueue(QUEUE, payload={})
    job = claim(queues.queue(QUEUE))
    assert job
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE queue_job_events ADD CONSTRAINT full_up CHECK (FALSE) NOT VALID")
        try:
            with pytest.raises(IntegrityError), transaction.atomic():
                settle.finish(job)
        finally:
            cursor.execute("ALTER TABLE queue_job_events DROP CONSTRAINT full_up")
    assert only(QUEUE).state == "running"
    assert settle.finish(job) is True


def test_texts_of_foreign_errors_reach_no_event(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise RuntimeError("Bearer secret-value") from ValueError("postgres://user:secret-value@host")

    handle("follow-up-run", run)
    enqueue("follow-up-run", payload={"token": "secret-value"})
    run_due("follow-up-run")
    event = QueueJobEvent.objects.get()
    assert event.error.startswith("RuntimeError in ")
    assert "secret-value" not in event.error + only("follow-up-run").error


def test_events_stay_for_thirty_days(db: None) -> None:
    for age in (29, 31, 400):
        made = QueueJobEvent.objects.create(
            queue=QUEUE, job_id="00000000-0000-4000-8000-000000000001", status="completed"
        )
        QueueJobEvent.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(days=age))
    assert retention.sweep() == 2
    assert QueueJobEvent.objects.count() == 1


def test_old_events_leave_a_batch_at_a_time(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO queue_job_events (queue, job_id, status, created_at)"
            " SELECT 'queue-metrics', gen_random_uuid(), 'completed', now() - interval '31 days'"
            " FROM generate_series(1, 5001)"
        )
    assert (retention.sweep(), retention.sweep(), retention.sweep()) == (5000, 1, 0)
