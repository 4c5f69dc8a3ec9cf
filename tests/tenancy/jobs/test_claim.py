"""Which row is started next, and which must rest."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from django.db import connection, transaction

from apps.foundation import queues
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import enqueue, settle
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.job import Job
from apps.tenancy.models import Tenant
from tests.tenancy.jobs.conftest import rows

QUEUE = "conversation-memory"
ROW = queues.queue(QUEUE)


def take() -> Job | None:
    return claim(ROW)


def must_take() -> Job:
    job = take()
    assert job is not None
    return job


def test_a_delayed_job_is_not_started_early(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={}, delay=timedelta(minutes=1))
    assert take() is None


def test_a_claim_counts_the_attempt_and_moves_the_fence(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    job = must_take()
    assert (job.attempt, job.fence) == (1, 1)
    assert rows(QUEUE)[0].state == "running"


def test_older_rows_come_first(in_tenant: Tenant) -> None:
    ids = [enqueue(QUEUE, payload={}) for _ in range(3)]
    assert [must_take().id for _ in range(3)] == ids


def test_a_key_that_runs_makes_its_next_row_wait(in_tenant: Tenant) -> None:
    first = enqueue(QUEUE, key="k", payload={})
    running = must_take()
    second = enqueue(QUEUE, key="k", payload={})
    assert second != first
    assert enqueue(QUEUE, key="k", payload={}) == second
    assert take() is None
    settle.finish(running)
    assert must_take().id == second


def test_a_key_that_rests_before_its_retry_keeps_its_place(in_tenant: Tenant) -> None:
    enqueue(QUEUE, key="k", payload={})
    settle.fail(must_take(), ValueError())
    enqueue(QUEUE, key="k", payload={})
    assert take() is None
    assert [row.state for row in rows(QUEUE)] == ["retrying", "waiting"]


def test_jobs_of_one_series_run_one_after_another(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={}, serial_by="thread-1")
    enqueue(QUEUE, payload={}, serial_by="thread-1")
    free = enqueue(QUEUE, payload={}, serial_by="thread-2")
    running = must_take()
    assert must_take().id == free
    assert take() is None
    settle.finish(running)
    assert must_take()


def test_series_and_keys_of_another_tenant_do_not_matter(tenant: Tenant, other_tenant: Tenant) -> None:
    for each in (tenant, other_tenant):
        with tenant_context(each):
            enqueue(QUEUE, key="k", payload={}, serial_by="s")
    assert {must_take().tenant_id, must_take().tenant_id} == {tenant.id, other_tenant.id}


def test_one_backlog_starves_nobody(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        for _ in range(20):
            enqueue(QUEUE, payload={})
    with tenant_context(other_tenant):
        for _ in range(2):
            enqueue(QUEUE, payload={})
    served = [must_take().tenant_id for _ in range(4)]
    assert served.count(other_tenant.id) == 2


def test_many_claimers_never_share_a_row(committed_db: None, in_tenant: Tenant) -> None:
    for number in range(12):
        enqueue(QUEUE, payload={"n": number})
    start = threading.Barrier(6)

    def claimer() -> list[int]:
        found = []
        try:
            start.wait(30)
            while (job := take()) is not None:
                found.append(job.payload["n"])
        finally:
            connection.close()
        return found

    with ThreadPoolExecutor(6) as pool:
        taken = [n for future in [pool.submit(claimer) for _ in range(6)] for n in future.result(60)]
    assert sorted(taken) == list(range(12))


def test_a_series_holds_against_claimers_at_the_same_moment(committed_db: None, in_tenant: Tenant) -> None:
    for _ in range(8):
        enqueue(QUEUE, payload={}, serial_by="one")
    start = threading.Barrier(6)

    def claimer() -> int:
        try:
            start.wait(30)
            return 1 if take() is not None else 0
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        taken = sum(future.result(60) for future in [pool.submit(claimer) for _ in range(6)])
    assert taken == 1


def test_work_asked_for_again_is_not_started_before_the_asker_commits(
    committed_db: None, in_tenant: Tenant
) -> None:
    """Otherwise the old row would run without seeing what came with the second request."""
    enqueue(QUEUE, key="k", payload={})

    def claimer() -> Job | None:
        try:
            return take()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            enqueue(QUEUE, key="k", payload={})
            assert pool.submit(claimer).result(30) is None
        assert pool.submit(claimer).result(30) is not None
