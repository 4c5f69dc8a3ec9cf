"""Ten thousand rows of one tenant on a live fleet: another tenant's job is served within moments (contract §13)."""

from __future__ import annotations

import pytest
from django.db import connection

from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import Tenant
from tests.fakes.kill_fleet import Plan
from tests.tenancy.jobs.conftest import Raise
from tests.tenancy.jobs.marks import count, marks_one, measured
from tests.tenancy.jobs.processes import until

pytestmark = pytest.mark.serial

SIDE_BY_SIDE, IN_ONE_LINE = "notifications", "conversation-memory"
BACKLOG = 10_000
URGENT = 5
# One turn of the other tenant for each thread would be two; the rest is what ran before the asking was committed.
AHEAD = 100


def pile_up(tenant: Tenant, queue: str) -> None:
    """One heap of independent rows; one whose rows share their `serial_by`, so that all but one rest."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO queue_jobs (id, tenant_id, queue, key, serial_by, tick, payload, state, run_after,"
            " asked, attempts, fence, claimed_by, error, created_at)"
            " SELECT gen_random_uuid(), %s, %s, 'heap-' || n, %s, FALSE, '{\"work\": 0.01}', 'waiting',"
            " statement_timestamp(), 1, 0, 0, '', '', statement_timestamp() FROM generate_series(1, %s) n",
            [tenant.pk, queue, "line" if queue == IN_ONE_LINE else None, BACKLOG],
        )


def ran_in_between(name: str, queue: str) -> int:
    """How many of the heap took effect between asking for that job and its own effect."""
    return int(
        marks_one(
            "SELECT count(*) FROM job_marks m, queue_jobs q, job_marks u WHERE q.key = u.job"
            f" AND u.job = '{name}' AND u.kind = 'effect' AND m.kind = 'effect' AND m.job LIKE 'heap-%'"
            f" AND m.queue = '{queue}' AND m.at BETWEEN q.created_at AND u.at"
        )
    )


def longest_wait(queue: str) -> float:
    """From asking to effect, in seconds of the database's clock."""
    return float(
        marks_one(
            "SELECT max(extract(epoch FROM m.at - q.created_at)) FROM job_marks m, queue_jobs q WHERE"
            f" q.key = m.job AND m.kind = 'effect' AND m.job LIKE 'urgent-%' AND m.queue = '{queue}'"
        )
    )


def test_the_other_tenant_is_served_at_once(raise_fleet: Raise, tenant: Tenant, other_tenant: Tenant) -> None:
    # Claims look at tenants in the order of their ids: the heap is with the one that would always come first.
    heavy, light = sorted([tenant, other_tenant], key=lambda one: one.pk)
    for queue in (SIDE_BY_SIDE, IN_ONE_LINE):
        pile_up(heavy, queue)
    raise_fleet(Plan(handled=[SIDE_BY_SIDE, IN_ONE_LINE])).start()
    for queue in (SIDE_BY_SIDE, IN_ONE_LINE):
        heap = f"queue = '{queue}' AND job LIKE 'heap-%%'"
        until(lambda heap=heap: count("effect", where=heap) >= 20, "the heap is worked off")  # type: ignore[misc]
        names = [f"urgent-{queue}-{number}" for number in range(URGENT)]
        for name in names:
            with tenant_context(light):
                enqueue(queue, key=name, payload={})
            until(lambda name=name: count("effect", where=f"job = '{name}'"), f"{name} is served")  # type: ignore[misc]
        between = max(ran_in_between(name, queue) for name in names)
        done = count("effect", where=heap)
        measured(
            f"{queue}: waited {longest_wait(queue):.3f} s at most, {between} of {BACKLOG} ran before; {done} in all"
        )
        assert between < AHEAD
        assert done < BACKLOG / 2, "the heap was still high"
