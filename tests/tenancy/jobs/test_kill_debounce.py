"""A debounced key on a live fleet runs once, after its last push and with what that push brought (QUE-01)."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import all_done, count, marks, marks_one
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

QUEUE = "slack-thread-distill"
REST = timedelta(seconds=2)
THREADS = ["calm", "busy", "other"]
PUSHES = 12


def test_it_runs_once_after_the_last_push(raise_fleet: Raise, in_tenant: Tenant) -> None:
    raise_fleet(Plan(handled=[QUEUE])).start()
    for number in range(PUSHES):
        for thread in THREADS:
            enqueue(QUEUE, key=thread, payload={"text": str(number)}, delay=REST, debounce=True)
        last = marks_one("SELECT statement_timestamp()")
        # In all twice as long as the rest: a clock that does not start again would fire in between.
        time.sleep(2 * REST.total_seconds() / PUSHES)
    until(lambda: all_done(len(THREADS)), "all threads came to rest")

    assert sorted(marks("effect", "job, text")) == [(thread, str(PUSHES - 1)) for thread in sorted(THREADS)]
    assert sorted(marks("start", "job")) == [(thread,) for thread in sorted(THREADS)]
    # The database's own clock, on both sides. The last push of each thread is a moment older than `last`.
    assert all(at - last > REST * 0.9 for (at,) in marks("start", "at"))
    assert marks_one("SELECT min(asked) FROM queue_jobs WHERE NOT tick") == PUSHES

    enqueue(QUEUE, key="busy", payload={"text": "again", "work": 1.0})
    until(lambda: count("start") == len(THREADS) + 1, "it runs once more")
    for number in range(5):
        enqueue(QUEUE, key="busy", payload={"text": f"meanwhile {number}"}, delay=REST / 10, debounce=True)
    until(lambda: all_done(len(THREADS) + 2), "pushes during a run make one more")
    assert marks("effect", "text, attempt")[-2:] == [("again", 1), ("meanwhile 4", 1)]
