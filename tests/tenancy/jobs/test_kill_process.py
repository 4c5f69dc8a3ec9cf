"""`kill -9` of a worker, of the scheduler, of everybody: with the real times, all is back in two minutes (QUE-02)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from apps.foundation import queues
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import (
    all_done,
    count,
    lost_and_doubled,
    marks,
    marks_one,
    measured,
    state_counts,
)
from tests.tenancy.jobs.processes import kill, until

pytestmark = pytest.mark.serial

QUEUES = ["email-inbound", "conversation-memory", "notifications"]
TWO_MINUTES = 120.0
# What is installed, not what tests like.
REAL = Plan(handled=QUEUES, beat_seconds=queues.BEAT_SECONDS, silent_seconds=queues.SILENT_SECONDS)


def test_all_jobs_come_back_once_each(raise_fleet: Raise, in_tenant: Tenant, tmp_path: Path) -> None:
    fleet = raise_fleet(REAL)
    supervisor = fleet.start()
    gate = str(tmp_path / "gate")
    # More than the queues are wide: some run, the others wait behind them.
    asked = [f"{queue}-{number}" for queue in QUEUES for number in range(6)]
    for name in asked:
        enqueue(name.rpartition("-")[0], key=name, payload={"gate": gate})
    until(lambda: count("start") == 8, "every thread of the fleet is at work")

    # First a worker. The one started in its place takes the two rows that waited; four have a dead owner.
    kill(fleet.member(supervisor, "email-inbound"))
    until(lambda: count("start") == 10, "its successor is at work")
    kill(fleet.member(supervisor, "scheduler"))
    fleet.kill_tree(supervisor)
    fleet.start()
    Path(gate).touch()
    begun = time.monotonic()
    until(lambda: all_done(len(asked)), "all are done", patience=TWO_MINUTES)

    measured(f"seconds {time.monotonic() - begun:.1f}, starts {count('start')}")
    assert lost_and_doubled(asked) == ([], [])
    assert len({pid for (pid,) in marks("start", "pid")}) >= 7
    assert marks_one("SELECT max(attempts) FROM queue_jobs WHERE NOT tick") == 2


def test_the_dead_keep_no_key_and_a_job_that_kills_ends(
    raise_fleet: Raise, in_tenant: Tenant, tmp_path: Path
) -> None:
    fleet = raise_fleet(
        Plan(handled=["conversation-memory", "email-inbound"], beat_seconds=0.2, silent_seconds=1.0)
    )
    supervisor = fleet.start()
    enqueue("email-inbound", key="poison", payload={"kills": True})
    enqueue("email-inbound", key="good", payload={})
    gate = str(tmp_path / "never")
    enqueue("conversation-memory", key="member", payload={"text": "old", "gate": gate, "gated_attempts": 1})
    until(lambda: count("start", where="job = 'member'"), "the member's job runs")
    kill(fleet.member(supervisor, "conversation-memory"))
    enqueue("conversation-memory", key="member", payload={"text": "new"})

    until(lambda: state_counts() == {"done": 3, "failed": 1}, "one was given up, the others are done")
    assert marks("start", "attempt", where="job = 'poison'") == [(number,) for number in range(1, 6)]
    assert marks("effect", "text", where="job = 'member'") == [("old",), ("new",)]
    assert count("effect") == 3
