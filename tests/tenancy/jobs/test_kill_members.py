"""Whoever of the fleet dies or hangs, jobs come back and take effect once (QUE-02)."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.tenancy.jobs import enqueue
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import all_done, count, lost_and_doubled, marks, state_counts
from tests.tenancy.jobs.processes import kill, until

pytestmark = pytest.mark.serial

# A job may meet many kills; how often is chance, and not what these tests are about.
MANY = {"attempts": 100}


@pytest.mark.parametrize("victim", ["notifications", "tree", "scheduler"])
def test_whoever_is_killed_the_jobs_come_back(
    raise_fleet: Raise, in_tenant: Tenant, victim: str, tmp_path: Path
) -> None:
    fleet = raise_fleet(Plan(handled=["notifications"], changed={"notifications": MANY}))
    supervisor = fleet.start()
    gate = tmp_path / "gate"
    asked = [f"job-{number}" for number in range(6)]
    for key in asked:
        enqueue("notifications", key=key, payload={"gate": str(gate), "gated_attempts": 1})
    until(lambda: count("start") == 2, "two jobs run")
    if victim == "tree":
        fleet.kill_tree(supervisor)
        supervisor = fleet.start()
    else:
        kill(fleet.member(supervisor, victim))
    gate.touch()
    until(lambda: all_done(6), f"all six are done; now {state_counts()}", patience=120)
    assert lost_and_doubled(asked) == ([], [])


def test_two_schedulers_make_one_tick_and_the_second_takes_over(
    raise_fleet: Raise, committed_db: None
) -> None:
    plan = Plan(
        handled=["queue-metrics"],
        changed={"queue-metrics": {"schedule_seconds": 2}},
        restart_seconds=(20.0, 20.0),
    )
    fleet = raise_fleet(plan)
    first, second = fleet.start(), fleet.start()
    until(lambda: count("effect") >= 2, "ticks are made")
    leading = [fleet.member(one, "scheduler") for one in (first, second)]
    before = count("effect")
    for pid in leading[:1]:
        kill(pid)
    until(lambda: count("effect") >= before + 2, "ticks go on without one of the two")
    kill(leading[1])
    until(lambda: not QueueJob.objects.exclude(state="done").exists(), "nothing is left over")
    slots = [job for (job,) in marks("effect", "job")]
    assert len(slots) == len(set(slots))


def test_a_hung_job_is_taken_back_and_takes_effect_once(
    raise_fleet: Raise, in_tenant: Tenant, tmp_path: Path
) -> None:
    plan = Plan(handled=["notifications"], changed={"notifications": MANY | {"max_seconds": 1}})
    raise_fleet(plan).start()
    gate = tmp_path / "gate"
    enqueue("notifications", key="hung", payload={"gate": str(gate), "gated_attempts": 1})
    until(lambda: count("effect") == 1, "the second run does it")
    gate.touch()
    enqueue("notifications", key="next", payload={})
    until(lambda: all_done(2), "both are done")
    assert marks("effect", "job, attempt") == [("hung", 2), ("next", 1)]
