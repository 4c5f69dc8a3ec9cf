"""Delays, waits and runs far beyond the broker's visibility timeout happen once (QUE-01)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import redis

from apps.foundation import broker
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import PrivateValkey, Raise
from tests.tenancy.jobs.marks import all_done, lost_and_doubled, marks, marks_one
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

QUEUE = "notifications"
VISIBILITY = 1
# The transport looks for messages to hand out again every ten seconds, whatever the timeout is.
BEYOND = 12.0


def test_nothing_is_done_twice(raise_fleet: Raise, in_tenant: Tenant, valkey: PrivateValkey) -> None:
    raise_fleet(Plan(handled=[QUEUE], visibility_seconds=VISIBILITY)).start()
    # Both threads of the queue are busy all that time, so what is nudged behind them waits there.
    for name in ("long-1", "long-2"):
        enqueue(QUEUE, key=name, payload={"work": BEYOND})
    until(lambda: len(marks("start")) == 2, "the long ones run")
    for name in ("waits-1", "waits-2", "waits-3"):
        enqueue(QUEUE, key=name, payload={})
    enqueue(QUEUE, key="delayed", payload={}, delay=timedelta(seconds=BEYOND))
    nudge_again()
    # What the transport would hand out again after its timeout is noted in Redis. Nothing of ours is.
    assert not redis.Redis.from_url(broker.client_address(valkey.url)).exists("unacked", "unacked_index")
    until(lambda: all_done(6), "all are done")

    asked = ["long-1", "long-2", "waits-1", "waits-2", "waits-3", "delayed"]
    assert lost_and_doubled(asked) == ([], [])
    assert sorted(marks("start", "job, attempt")) == sorted((name, 1) for name in asked)
    assert marks_one("SELECT max(attempts) FROM queue_jobs WHERE NOT tick") == 1


def nudge_again() -> None:
    """More nudges than the queue is wide: the worker fetches some ahead."""
    for _ in range(4):
        broker.nudge(QUEUE, wanted=2, limit=8)
