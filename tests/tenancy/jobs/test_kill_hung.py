"""A hung job is taken back after `max_seconds`; what it does when it wakes up is refused (contract §13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import count, marks, marks_one
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

QUEUE = "notifications"
HUNG = ["hung-ends", "hung-resumes"]


def test_its_late_effect_is_refused(
    raise_fleet: Raise, tenant: Tenant, other_tenant: Tenant, tmp_path: Path
) -> None:
    raise_fleet(Plan(handled=[QUEUE], changed={QUEUE: {"max_seconds": 1, "concurrency": 4}})).start()
    gate = tmp_path / "gate"
    with tenant_context(tenant):
        for name in HUNG:
            payload = {"gate": str(gate), "gated_attempts": 1, "resumes": name == "hung-resumes"}
            enqueue(QUEUE, key=name, payload=payload)
    # A worker with nothing but hung runs is replaced, and with it ours would never wake up. The other
    # tenant's jobs keep two more threads, and so the process, busy; they take turns with ours.
    with tenant_context(other_tenant):
        for number in range(200):
            enqueue(QUEUE, key=f"good-{number}", payload={"work": 0.3})
    until(lambda: count("effect", where="job LIKE 'hung%%'") == 2, "the second runs did it")
    gate.touch()
    until(lambda: count("refused") == 2, "the first runs woke up and were refused")

    assert sorted(marks("refused", "job, attempt")) == [(name, 1) for name in HUNG]
    assert sorted(marks("effect", "job, attempt", where="job LIKE 'hung%%'")) == [(name, 2) for name in HUNG]
    assert len({pid for (pid,) in marks("start", "pid")}) == 1, "it is the same process that woke up"
    assert marks_one("SELECT array_agg(DISTINCT state) FROM queue_jobs WHERE key LIKE 'hung%'") == ["done"]
