"""After its broker was restarted, no worker of any queue is deaf (contract §13)."""

from __future__ import annotations

import time

import pytest

from apps.foundation import queues
from apps.tenancy.jobs import enqueue
from apps.tenancy.jobs.heartbeat import worker_seen
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import PrivateValkey, Raise
from tests.tenancy.jobs.marks import marks, measured
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

QUEUES = list(queues.QUEUES)
REFUSING = {row.name for row in queues.QUEUES.values() if row.without_redis == "refuse"}
OUTAGE_SECONDS = 5.0


def served(name: str) -> set[str]:
    """The queues in which the job of that name took effect."""
    return {queue for job, queue in marks("effect", "job, queue") if job == name}


def ask_everywhere(name: str, *, names: list[str] = QUEUES) -> None:
    for queue in names:
        enqueue(queue, key=name, payload={})


def test_every_queue_is_served_after_each_restart(
    raise_fleet: Raise, in_tenant: Tenant, valkey: PrivateValkey
) -> None:
    raise_fleet(Plan(handled=QUEUES)).start()
    until(worker_seen, "workers listen")
    ask_everywhere("before")
    until(lambda: served("before") == set(QUEUES), "every queue has a worker")

    workers = dict(marks("start", "queue, pid", where="job = 'before'"))
    valkey.stop()
    valkey.start()
    ask_everywhere("after a restart")
    begun = time.monotonic()
    until(lambda: served("after a restart") == set(QUEUES), "every worker heard of its job")
    measured(f"heard again after a restart: {time.monotonic() - begun:.1f} s")

    valkey.stop()
    ask_everywhere("meanwhile", names=[name for name in QUEUES if name not in REFUSING])
    time.sleep(OUTAGE_SECONDS)
    valkey.start()
    ask_everywhere("after an outage")
    begun = time.monotonic()
    until(lambda: served("after an outage") == set(QUEUES), "every worker heard of its job")
    until(lambda: served("meanwhile") == set(QUEUES) - REFUSING, "what was asked meanwhile is done")
    measured(f"heard again after {OUTAGE_SECONDS:.0f} s without: {time.monotonic() - begun:.1f} s")

    # Nobody had to die for it: the same processes listen.
    assert dict(marks("start", "queue, pid", where="job = 'after an outage'")) == workers
    assert len(marks("effect", "job", where="job NOT LIKE 'tick%%'")) == 4 * len(QUEUES) - len(REFUSING)
