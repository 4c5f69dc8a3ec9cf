"""Redis forgets everything, again and again, while 200 jobs are under way: none is lost (contract §13)."""

from __future__ import annotations

import time

import pytest
import redis

from apps.foundation import broker
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import PrivateValkey, Raise
from tests.tenancy.jobs.marks import all_done, count, lost_and_doubled, marks_one, measured
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

JOBS = 200
WIPES = 10
QUEUES = ["channel-turns", "notifications"]


def test_no_job_is_lost(raise_fleet: Raise, in_tenant: Tenant, valkey: PrivateValkey) -> None:
    raise_fleet(Plan(handled=QUEUES)).start()
    server = redis.Redis.from_url(broker.client_address(valkey.url))
    asked: list[str] = []
    begun = time.monotonic()
    for _ in range(WIPES):
        for _ in range(JOBS // WIPES):
            name = f"job-{len(asked)}"
            enqueue(QUEUES[len(asked) % 2], key=name, payload={"work": 0.05})
            asked.append(name)
        assert count("effect") < len(asked), "jobs are under way while Redis is wiped"
        server.flushall()
    until(lambda: all_done(JOBS), "all are done")

    measured(f"seconds {time.monotonic() - begun:.1f}")
    assert lost_and_doubled(asked) == ([], [])
    assert marks_one("SELECT max(attempts) FROM queue_jobs WHERE NOT tick") == 1
