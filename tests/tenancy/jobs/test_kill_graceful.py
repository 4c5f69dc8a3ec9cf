"""SIGTERM to the supervisor: what runs is finished or handed back, and nothing waits for a silence (contract §13)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from django.db import connection

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
from tests.tenancy.jobs.processes import PATIENCE, alive, children, until

pytestmark = pytest.mark.serial

QUEUES = ["email-inbound", "channel-turns", "notifications"]
# Whatever had to wait for a silence would never come back within a test.
NEVER = 3600.0
PLAN = Plan(handled=QUEUES, silent_seconds=NEVER)
SHORT = 90

SLOW_CLAIMS = """
CREATE FUNCTION slow_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'running' AND OLD.state <> 'running' THEN PERFORM pg_sleep(1); END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER slow_claim BEFORE UPDATE ON queue_jobs FOR EACH ROW EXECUTE FUNCTION slow_claim();
"""


def test_a_busy_fleet_stops_and_another_goes_on(
    raise_fleet: Raise, in_tenant: Tenant, tmp_path: Path
) -> None:
    fleet = raise_fleet(PLAN)
    supervisor = fleet.start()
    gate = str(tmp_path / "gate")
    stubborn = [f"stubborn-{queue}" for queue in QUEUES]
    for queue in QUEUES:
        enqueue(queue, key=f"stubborn-{queue}", payload={"gate": gate})
    short = [f"short-{number}" for number in range(SHORT)]
    for number, name in enumerate(short):
        enqueue(QUEUES[number % 3], key=name, payload={"work": 0.2, "resumes": number % 2 == 0})
    until(lambda: count("effect") > 10 and len(stubborn_starts()) == 3, "all kinds are under way")
    everyone = [supervisor.pid, *children(supervisor.pid)]

    begun = time.monotonic()
    supervisor.terminate()
    supervisor.wait(PATIENCE)
    measured(f"stopped in {time.monotonic() - begun:.1f} s with {count('effect')} of {SHORT} done")
    assert not any(map(alive, everyone))
    assert state_counts().get("running", 0) == 0
    assert state_counts()["retrying"] == len(stubborn)
    assert 0 < state_counts()["waiting"] < SHORT, "it stopped in the middle"

    Path(gate).touch()
    fleet.start()
    until(lambda: all_done(SHORT + len(stubborn)), "the next fleet did the rest")
    assert lost_and_doubled(short + stubborn) == ([], [])
    assert count("start", where="job LIKE 'short-%%'") == SHORT, "each short job was started once"
    assert len(stubborn_starts()) == 2 * len(stubborn)
    assert marks_one("SELECT max(attempts) FROM queue_jobs WHERE NOT tick") == 1


def stubborn_starts() -> list[tuple[str]]:
    return marks("start", "job", where="job LIKE 'stubborn-%%'")


def test_a_claim_made_while_the_stop_arrives_goes_back_too(
    raise_fleet: Raise, in_tenant: Tenant, tmp_path: Path
) -> None:
    fleet = raise_fleet(PLAN)
    supervisor = fleet.start()
    enqueue("notifications", key="first", payload={})
    until(lambda: all_done(1), "the fleet works")
    with connection.cursor() as cursor:
        cursor.execute(SLOW_CLAIMS)
    try:
        enqueue("notifications", key="late", payload={"gate": str(tmp_path / "never")})
        until(lambda: marks_one(CLAIMING), "a claim is being made")
        supervisor.terminate()
        supervisor.wait(PATIENCE)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION slow_claim CASCADE")
    found = marks_one("SELECT state || ' ' || attempts FROM queue_jobs WHERE key = 'late'")
    assert found in {"retrying 0", "waiting 0"}


CLAIMING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
)
