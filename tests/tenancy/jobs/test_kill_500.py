"""500 jobs and 20 kills at random moments: none lost, none done twice (contract §13, QUE-01, QUE-02)."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter

import pytest

from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import count, lost_and_doubled, marks_one, state_counts
from tests.tenancy.jobs.processes import Fleet, kill, until

pytestmark = pytest.mark.serial

JOBS = 500
VICTIMS = ["worker"] * 11 + ["scheduler"] * 5 + ["tree"] * 4
QUEUES = ["email-inbound", "channel-turns", "notifications"]
# As many attempts as kills and one more: that a job which kills its workers ends is another test's matter.
PLAN = Plan(handled=QUEUES, changed={name: {"attempts": len(VICTIMS) + 1} for name in QUEUES})


def order_batch(chance: random.Random, first: int) -> list[str]:
    """The next jobs: short and longer ones, half of them done by their effect, half by their checkpoint."""
    names = [f"job-{number:03d}" for number in range(first, first + JOBS // len(VICTIMS))]
    for name in names:
        times = {"work": chance.uniform(0, 0.25), "inside": chance.uniform(0, 0.03)}
        payload = {**times, "after": chance.uniform(0, 0.03), "resumes": chance.random() < 0.5}
        enqueue(chance.choice(QUEUES), key=name, payload=payload)
    return names


def strike(
    chance: random.Random, fleet: Fleet, supervisor: subprocess.Popen[bytes], victim: str
) -> subprocess.Popen[bytes]:
    """Waits until jobs run, then a moment, then kills; gives the supervisor that leads from now on."""
    until(lambda: state_counts().get("running"), "something runs")
    time.sleep(chance.uniform(0, 0.3))
    if victim == "tree":
        fleet.kill_tree(supervisor)
        return fleet.start()
    kill(fleet.member(supervisor, "scheduler" if victim == "scheduler" else chance.choice(QUEUES)))
    return supervisor


def test_none_of_500_is_lost_or_done_twice(raise_fleet: Raise, in_tenant: Tenant) -> None:
    seed = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(10**6))
    chance = random.Random(seed)
    victims = chance.sample(VICTIMS, len(VICTIMS))
    print(f"seed {seed}: {' '.join(victims)}")  # noqa: T201 -- to have a failure again
    fleet = raise_fleet(PLAN)
    supervisor = fleet.start()
    begun = time.monotonic()
    asked: list[str] = []
    for victim in victims:
        asked += order_batch(chance, len(asked))
        supervisor = strike(chance, fleet, supervisor, victim)
    until(lambda: state_counts() == {"done": JOBS}, "all are done", patience=120)

    took = time.monotonic() - begun
    print(f"seconds {took:.1f}, starts {count('start')}, attempts {attempts()}")  # noqa: T201 -- figures
    assert lost_and_doubled(asked) == ([], [])
    assert count("start") > JOBS, "no kill hit a job; this run proves nothing"


def attempts() -> dict[int, int]:
    """How many jobs took how many attempts."""
    pairs = marks_one("SELECT array_agg(attempts) FROM queue_jobs WHERE NOT tick")
    return dict(sorted(Counter(pairs).items()))
