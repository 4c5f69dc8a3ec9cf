"""What Redis loses or doubles is nobody's loss: rows are in Postgres (QUE-01)."""

from __future__ import annotations

import time
from datetime import timedelta
from functools import partial

import pytest
import redis

from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import enqueue
from apps.tenancy.jobs.heartbeat import worker_seen
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import PrivateValkey, Raise
from tests.tenancy.jobs.marks import all_done, count, lost_and_doubled, marks, state_counts
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial


def test_wiping_redis_in_the_middle_loses_nothing(
    raise_fleet: Raise, valkey: PrivateValkey, in_tenant: Tenant
) -> None:
    raise_fleet(Plan(handled=["channel-turns", "notifications"])).start()
    asked = [f"job-{number}" for number in range(200)]
    for number, key in enumerate(asked):
        enqueue(["channel-turns", "notifications"][number % 2], key=key, payload={"work": 0.02})
    wiped = redis.Redis.from_url(valkey.url)
    for number in (20, 60, 120):
        until(partial(_effects, at_least=number), f"{number} effects")
        wiped.flushall()
    until(lambda: all_done(200), f"all are done; now {state_counts()}", patience=120)
    assert lost_and_doubled(asked) == ([], [])


def test_after_a_restart_of_the_broker_no_worker_is_deaf(
    raise_fleet: Raise, valkey: PrivateValkey, in_tenant: Tenant
) -> None:
    queues = ["channel-turns", "notifications", "conversation-memory"]
    raise_fleet(Plan(handled=queues)).start()
    until(worker_seen, "the workers listen")
    for name in queues:
        enqueue(name, key="before", payload={})
    until(lambda: all_done(3), "all queues are served")
    valkey.stop()
    for name in queues:
        enqueue(name, key="meanwhile", payload={})
    valkey.start()
    until(lambda: all_done(6), f"rows from the outage run; now {state_counts()}", patience=120)
    for name in queues:
        enqueue(name, key="after", payload={})
    until(lambda: all_done(9), "and new ones")
    assert sorted(queue for (queue,) in marks("effect", "queue", where="job = 'after'")) == sorted(queues)


def test_a_delay_beyond_the_visibility_timeout_never_doubles(raise_fleet: Raise, in_tenant: Tenant) -> None:
    raise_fleet(Plan(handled=["notifications"], visibility_seconds=1)).start()
    enqueue("notifications", key="late", payload={"work": 3.0}, delay=timedelta(seconds=3))
    enqueue("notifications", key="long", payload={"work": 4.0})
    until(lambda: all_done(2), "both are done")
    assert sorted(marks("start", "job, attempt")) == [("late", 1), ("long", 1)]
    assert sorted(marks("effect", "job, attempt")) == [("late", 1), ("long", 1)]


def test_a_debounced_key_runs_once_after_its_last_push(raise_fleet: Raise, in_tenant: Tenant) -> None:
    raise_fleet(Plan(handled=["slack-thread-distill"])).start()
    for number in range(4):
        enqueue(
            "slack-thread-distill",
            key="thread-1",
            payload={"text": f"push {number}"},
            delay=timedelta(seconds=2),
            debounce=True,
        )
        time.sleep(0.7)  # shorter than the delay, so that each push finds the row still waiting
    until(lambda: all_done(1), "it ran")
    assert marks("effect", "job, text") == [("thread-1", "push 3")]


def test_one_tenants_ten_thousand_rows_hold_up_nobody(
    raise_fleet: Raise, tenant: Tenant, other_tenant: Tenant
) -> None:
    with tenant_context(tenant):
        for number in range(10_000):
            enqueue("notifications", key=f"bulk-{number}", payload={"work": 0.02}, delay=timedelta(0))
    raise_fleet(Plan(handled=["notifications"])).start()
    until(lambda: count("start") >= 20, "the backlog is being worked off")
    with tenant_context(other_tenant):
        enqueue("notifications", key="urgent", payload={})
    ahead = count("start")
    until(lambda: count("effect", where="job = 'urgent'") == 1, "the other tenant's job ran")
    passed = count("start") - ahead
    assert passed < 500


def _effects(*, at_least: int) -> bool:
    return count("effect") >= at_least
