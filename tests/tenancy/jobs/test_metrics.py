"""How the queues stand, counted from real rows."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from apps.foundation import queues
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import GiveUp, Job, enqueue, run_due, settle
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.metrics import Standing, standings
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.models.jobs import QueueJobEvent
from tests.tenancy.jobs.conftest import Handle

QUEUE = "conversation-memory"


def of(queue: str) -> Standing:
    return next(standing for standing in standings() if standing.queue == queue)


def test_an_empty_table_still_has_every_queue(db: None) -> None:
    assert [standing.queue for standing in standings()] == list(queues.QUEUES)
    assert of(QUEUE) == Standing(queue=QUEUE)


def test_depth_counts_what_is_due_in_all_communities(tenant: Tenant, other_tenant: Tenant) -> None:
    for each in (tenant, other_tenant):
        with tenant_context(each):
            enqueue(QUEUE, payload={})
            enqueue(QUEUE, payload={}, delay=timedelta(minutes=5))
    assert (of(QUEUE).depth, of(QUEUE).resting) == (2, 2)


def test_a_rest_that_is_over_counts_as_due(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    job = claim(queues.queue(QUEUE))
    assert job
    settle.hand_back(job)
    assert (of(QUEUE).depth, of(QUEUE).running) == (1, 0)


def test_lag_is_the_age_of_the_oldest_due_row(in_tenant: Tenant) -> None:
    for minutes in (7, 2, -30):
        job_id = enqueue(QUEUE, payload={})
        QueueJob.objects.filter(pk=job_id).update(run_after=timezone.now() - timedelta(minutes=minutes))
    assert 420 <= of(QUEUE).lag_seconds < 480


def test_nothing_due_has_no_lag(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={}, delay=timedelta(minutes=5))
    assert of(QUEUE).lag_seconds == 0


def test_what_runs_is_counted_apart(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    enqueue(QUEUE, payload={})
    assert claim(queues.queue(QUEUE))
    assert (of(QUEUE).depth, of(QUEUE).running) == (1, 1)


def test_failures_count_for_ten_minutes(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise GiveUp

    handle(QUEUE, run)
    for _ in range(3):
        enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert of(QUEUE).failures == 3
    QueueJobEvent.objects.update(created_at=timezone.now() - timedelta(minutes=11))
    assert of(QUEUE).failures == 0


def test_rows_of_a_name_nobody_knows_are_seen(db: None) -> None:
    QueueJob.objects.create(queue="mail-inbound", key="k")
    stray = standings()[-1]
    assert (stray.queue, stray.depth, stray.is_handled) == ("mail-inbound", 1, False)


def test_one_query_tells_it_all(db: None, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(1):  # type: ignore[operator]
        standings()
