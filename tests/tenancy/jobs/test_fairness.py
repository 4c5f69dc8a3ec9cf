"""One community's backlog: whose turn it is, and what it costs to find out."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from apps.foundation import queues
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import claim as claiming
from apps.tenancy.jobs import dispatch, enqueue
from apps.tenancy.jobs.claim import claim
from apps.tenancy.models import Tenant
from apps.tenancy.models.jobs import NO_TENANT
from tests.tenancy.jobs.conftest import Handle, nothing

QUEUE = "notifications"
ROW = queues.queue(QUEUE)


def backlog(tenant: Tenant, rows: int, *, delay_seconds: int = 0, state: str = "waiting") -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO queue_jobs (id, tenant_id, queue, key, tick, payload, state, run_after, asked,"
            " attempts, fence, claimed_by, error, created_at)"
            " SELECT gen_random_uuid(), %s, %s, gen_random_uuid()::text, FALSE, '{}', %s,"
            " statement_timestamp() + make_interval(secs => %s), 1, 0, 0, '', '', statement_timestamp()"
            " FROM generate_series(1, %s)",
            [tenant.pk, QUEUE, state, delay_seconds, rows],
        )


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE queue_jobs")


def plan(statement: str, values: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + statement, values)
        return "\n".join(line for (line,) in cursor.fetchall())


@pytest.mark.parametrize("state", ["waiting", "retrying"])
def test_ten_thousand_rows_of_one_are_one_turn_ahead_of_the_other(
    tenant: Tenant, other_tenant: Tenant, state: str
) -> None:
    backlog(tenant, 10_000, state=state)
    with tenant_context(other_tenant):
        wanted = [enqueue(QUEUE, payload={}) for _ in range(3)]
    served = [job for _ in range(3 * ROW.concurrency) if (job := claim(ROW))]
    assert wanted[0] in [job.id for job in served[: ROW.concurrency]]
    assert [job.id for job in served if job.tenant_id == other_tenant.pk] == wanted


def test_a_backlog_that_rests_is_passed_over(tenant: Tenant, other_tenant: Tenant) -> None:
    backlog(tenant, 10_000, delay_seconds=3600)
    with tenant_context(other_tenant):
        wanted = enqueue(QUEUE, payload={})
    first = claim(ROW)
    assert first and first.id == wanted
    assert claim(ROW) is None


@pytest.mark.parametrize("delay_seconds", [0, 3600], ids=["due", "resting"])
@pytest.mark.parametrize("known", [False, True], ids=["statistics of before", "fresh statistics"])
def test_claims_and_the_dispatcher_read_indexes_only(
    tenant: Tenant, other_tenant: Tenant, handle: Handle, known: bool, delay_seconds: int
) -> None:
    """Twenty thousand rows; also while Postgres still believes that the table is small."""
    handle(QUEUE, nothing)
    backlog(tenant, 10)
    analyze()
    backlog(tenant, 20_000, delay_seconds=delay_seconds)
    backlog(other_tenant, 5)
    if known:
        analyze()
    for start in (NO_TENANT, *sorted([tenant.pk, other_tenant.pk])):
        found = plan(claiming._NEXT, {"queue": QUEUE, "from_tenant": start})
        assert "Seq Scan" not in found, found
        assert "Index Scan using queue_jobs_in_turn" in found, found
    names = list(queues.QUEUES)
    found = plan(dispatch._DUE, [names, [queues.width(queues.queue(name)) for name in names]])
    assert "Seq Scan" not in found, found
    assert dispatch.due_counts()[QUEUE] == ROW.concurrency
