"""What becomes of a row when its handler returns, fails, or asks for time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.foundation import queues
from apps.foundation.errors import Unavailable
from apps.tenancy.context import NoTenant, current_tenant, current_tenant_id
from apps.tenancy.jobs import GiveUp, Job, Later, enqueue, enqueue_tick, registry, run_due
from apps.tenancy.models import Tenant
from tests.tenancy.jobs.conftest import Handle, make_due, only, rows

QUEUE = "conversation-memory"


def test_a_job_runs_in_the_tenant_of_its_row(tenant: Tenant, in_tenant: Tenant, handle: Handle) -> None:
    seen: list[str] = []
    handle(QUEUE, lambda job: seen.append(current_tenant().slug))
    enqueue(QUEUE, payload={})
    assert run_due(QUEUE) == 1
    assert seen == [tenant.slug]
    assert only(QUEUE).state == "done"


def test_a_tick_runs_without_a_tenant(db: None, handle: Handle) -> None:
    outcome: list[str] = []

    def run(job: Job) -> None:
        with pytest.raises(NoTenant):
            current_tenant_id()
        outcome.append("no tenant")

    handle("queue-metrics", run)
    enqueue_tick("queue-metrics")
    run_due("queue-metrics")
    assert outcome == ["no tenant"]


def test_a_failed_attempt_rests_as_its_queue_says(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise Unavailable("The model does not answer.")

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    before = timezone.now()
    assert run_due(QUEUE) == 1
    row = only(QUEUE)
    rest = queues.queue(QUEUE).backoff.after(1)
    assert (row.state, row.attempts, row.error) == ("retrying", 1, "unavailable: The model does not answer.")
    assert before + rest <= row.run_after <= timezone.now() + rest


def test_after_the_last_attempt_the_row_has_failed(in_tenant: Tenant, handle: Handle) -> None:
    attempts: list[tuple[int, bool]] = []
    told: list[tuple[str, str]] = []

    def run(job: Job) -> None:
        attempts.append((job.attempt, job.is_last_attempt))
        raise ValueError("secret-value")

    handle(QUEUE, run, gave_up=lambda job, error: told.append((current_tenant().slug, error)))
    enqueue(QUEUE, payload={})
    for _ in range(5):
        run_due(QUEUE)
        make_due(QUEUE)
    assert attempts == [(1, False), (2, False), (3, True)]
    row = only(QUEUE)
    assert row.state == "failed"
    assert row.finished_at is not None
    assert len(told) == 1
    assert told[0][0] == in_tenant.slug


def test_texts_of_foreign_errors_are_not_kept(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise ValueError("postgres://user:secret-value@host")

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert only(QUEUE).error.startswith("ValueError in ")
    assert "secret-value" not in only(QUEUE).error


def test_giving_up_spares_the_remaining_attempts(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise GiveUp("the source is gone")

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert (only(QUEUE).state, only(QUEUE).error) == ("failed", "the source is gone")


def test_asking_for_time_costs_no_attempt(in_tenant: Tenant, handle: Handle) -> None:
    calls: list[int] = []

    def run(job: Job) -> None:
        calls.append(job.attempt)
        if len(calls) < 6:
            raise Later(timedelta(minutes=1))

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    for _ in range(8):
        run_due(QUEUE)
        make_due(QUEUE)
    assert calls == [1] * 6
    assert only(QUEUE).state == "done"


def test_a_listener_that_fails_does_not_undo_the_failure(in_tenant: Tenant, handle: Handle) -> None:
    def listener(job: Job, error: str) -> None:
        raise RuntimeError

    def run(job: Job) -> None:
        raise GiveUp

    handle(QUEUE, run, gave_up=listener)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert only(QUEUE).state == "failed"


def test_asking_while_it_runs_makes_one_more_run(in_tenant: Tenant, handle: Handle) -> None:
    runs: list[Job] = []

    def run(job: Job) -> None:
        runs.append(job)
        if len(runs) == 1:
            for _ in range(3):
                enqueue(QUEUE, key="thread", payload={})

    handle(QUEUE, run)
    enqueue(QUEUE, key="thread", payload={})
    run_due(QUEUE)
    assert len(runs) == 2
    assert [row.state for row in rows(QUEUE)] == ["done", "done"]


def test_a_queue_has_one_handler() -> None:
    def first(job: Job) -> None: ...

    def second(job: Job) -> None: ...

    try:
        registry.handler("slack-admin-broadcast")(first)
        with pytest.raises(ValueError, match="already has a handler"):
            registry.handler("slack-admin-broadcast")(second)
    finally:
        registry._handlers.pop("slack-admin-broadcast")


def test_a_handler_for_an_unknown_queue_is_refused_at_import() -> None:
    with pytest.raises(queues.UnknownQueue):
        registry.handler("no-such-queue")
