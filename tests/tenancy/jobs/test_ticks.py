"""Ticks: one a time slot, however many schedulers there are."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from apps.foundation.queues import UnknownQueue
from apps.tenancy.jobs import enqueue_tick, run_due
from apps.tenancy.models import QueueJob
from tests.tenancy.jobs.conftest import Handle, nothing, only

# The longest slot there is: the test cannot fall across the border of two.
QUEUE = "principal-roster-sweep"


def one_slot_earlier() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE queue_jobs SET key = 'tick:' || (substr(key, 6)::bigint - 1) WHERE queue = %s", [QUEUE]
        )


def test_a_second_scheduler_adds_no_tick(db: None) -> None:
    assert enqueue_tick(QUEUE) is not None
    assert enqueue_tick(QUEUE) is None


def test_a_finished_tick_still_fills_its_slot(db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    enqueue_tick(QUEUE)
    run_due(QUEUE)
    assert enqueue_tick(QUEUE) is None
    assert only(QUEUE).state == "done"


def test_the_next_slot_gets_its_own_tick(db: None, handle: Handle) -> None:
    handle(QUEUE, nothing)
    enqueue_tick(QUEUE)
    run_due(QUEUE)
    one_slot_earlier()
    assert enqueue_tick(QUEUE) is not None


def test_ticks_do_not_pile_up_while_no_worker_runs(db: None) -> None:
    enqueue_tick(QUEUE)
    one_slot_earlier()
    assert enqueue_tick(QUEUE) is None
    assert QueueJob.objects.filter(queue=QUEUE).count() == 1


def test_two_ticks_of_a_queue_never_run_side_by_side(db: None) -> None:
    from apps.foundation import queues
    from apps.tenancy.jobs.claim import claim

    enqueue_tick(QUEUE)
    assert claim(queues.queue(QUEUE)) is not None
    one_slot_earlier()
    assert enqueue_tick(QUEUE) is not None
    assert claim(queues.queue(QUEUE)) is None


def test_a_queue_without_schedule_has_no_ticks(db: None) -> None:
    with pytest.raises(UnknownQueue):
        enqueue_tick("email-inbound")


def test_a_tick_is_due_at_once(db: None) -> None:
    enqueue_tick(QUEUE)
    assert only(QUEUE).run_after - only(QUEUE).created_at < timedelta(seconds=1)
