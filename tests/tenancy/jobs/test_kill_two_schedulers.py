"""Two schedulers make one tick of each slot, also when the one that leads is killed (contract §13)."""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest

from apps.tenancy.jobs.lease import LEADER
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import count, marks, marks_one, measured
from tests.tenancy.jobs.processes import kill, until

pytestmark = pytest.mark.serial

QUEUE = "queue-metrics"
EVERY_SECOND = Plan(handled=[QUEUE], changed={QUEUE: {"schedule_seconds": 1}})
TICKS = 4
HOLDERS = (
    "SELECT array_agg(a.application_name) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    f" WHERE l.locktype = 'advisory' AND l.objid = {LEADER} AND l.granted"
    " AND a.datname = current_database()"
)
SCHEDULERS = (
    "SELECT array_agg(DISTINCT application_name) FROM pg_stat_activity"
    " WHERE application_name LIKE 'scheduler:%' AND datname = current_database()"
)


def leaders() -> list[int]:
    """The processes that hold the lease, by the names their connections carry."""
    return [int(name.rpartition(":")[2]) for name in marks_one(HOLDERS) or []]


def contenders() -> set[int]:
    """The schedulers that Postgres knows: whoever waits for the lease keeps the session it asks through."""
    return {int(name.rpartition(":")[2]) for name in marks_one(SCHEDULERS) or []}


def test_the_second_takes_over_and_no_slot_has_two_ticks(raise_fleet: Raise, committed_db: None) -> None:
    fleet = raise_fleet(EVERY_SECOND)
    supervisors = [fleet.start(), fleet.start()]
    schedulers = {fleet.member(supervisor, "scheduler"): supervisor for supervisor in supervisors}
    until(lambda: contenders() == schedulers.keys(), "both have asked for the lease")
    made = count("effect")
    until(lambda: count("effect") >= made + TICKS, "ticks are made")
    (leader,) = leaders()
    (other,) = schedulers.keys() - {leader}

    # Its supervisor may not start another one: it is the second that has to take over.
    os.kill(schedulers[leader].pid, signal.SIGSTOP)
    kill(leader)
    until(lambda: leaders() == [other], "the other one leads")
    made = count("effect")
    until(lambda: count("effect") >= made + TICKS, "ticks go on")

    slots = Counter(slot for (slot,) in marks("start", "job"))
    assert set(slots.values()) == {1}
    assert all(slot.startswith("tick:") for slot in slots)
    ran = [int(slot.removeprefix("tick:")) for (slot,) in marks("effect", "job")]
    assert len(ran) == len(set(ran)) >= 2 * TICKS
    gap = max(later - earlier for earlier, later in zip(sorted(ran), sorted(ran)[1:], strict=False))
    measured(f"{len(ran)} ticks, the longest time without one {gap} s")
