"""A row that nobody can read, run or take back stops nothing but itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from apps.foundation import queues
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import Job, enqueue, run_due
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.dispatch import Dispatcher
from apps.tenancy.jobs.run import execute
from apps.tenancy.jobs.silence import take_back_silent
from apps.tenancy.models import QueueJob, Tenant
from tests.tenancy.jobs.conftest import Handle, make_due, silence

QUEUE = "conversation-memory"
DEEP = '{"a":' * 5000 + "1" + "}" * 5000
UNREADABLE = [DEEP, '{"n": 1' + "0" * 5000 + "}", "[1]", '"text"', "7"]
IDS = ["deep", "huge number", "list", "text", "number"]


def spoil(job_id: UUID, text: str, *, column: str = "payload") -> None:
    """What only a mistake, or a hand in the table, can bring about."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE queue_jobs SET {column} = %s::jsonb WHERE id = %s", [text, job_id])


def state(job_id: UUID) -> tuple[str, str]:
    row = QueueJob.objects.defer("payload", "checkpoint").get(pk=job_id)
    return row.state, row.error


@pytest.mark.parametrize("text", UNREADABLE, ids=IDS)
@pytest.mark.parametrize("column", ["payload", "checkpoint"])
def test_it_fails_for_good_and_the_next_one_runs(
    in_tenant: Tenant, handle: Handle, text: str, column: str
) -> None:
    ran: list[Any] = []
    told: list[str] = []
    handle(QUEUE, lambda job: ran.append(job.payload), gave_up=lambda job, error: told.append(error))
    bad = enqueue(QUEUE, payload={"n": 1})
    good = enqueue(QUEUE, payload={"n": 2})
    spoil(bad, text, column=column)
    assert run_due(QUEUE) == 2
    assert (state(bad), state(good)) == (("failed", "its row cannot be read"), ("done", ""))
    assert ran == [{"n": 2}]
    assert told == ["its row cannot be read"]


def test_null_is_an_empty_payload(in_tenant: Tenant, handle: Handle) -> None:
    ran: list[Any] = []
    handle(QUEUE, lambda job: ran.append(job.payload))
    spoil(enqueue(QUEUE, payload={"n": 1}), "null")
    run_due(QUEUE)
    assert ran == [{}]


def test_its_silent_claim_comes_back_and_so_do_those_behind_it(in_tenant: Tenant) -> None:
    bad, good = enqueue(QUEUE, payload={}), enqueue(QUEUE, payload={})
    for _ in range(2):
        assert claim(queues.queue(QUEUE))
    spoil(bad, DEEP)
    silence(QUEUE)
    assert take_back_silent() == 2
    assert (state(bad)[0], state(good)[0]) == ("retrying", "retrying")


@pytest.fixture
def nailed(committed_db: None) -> Iterator[Callable[[UUID], None]]:
    """``nailed(id)``: the database lets nobody end that row's run."""

    def nail(job_id: UUID) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"ALTER TABLE queue_jobs ADD CONSTRAINT nailed CHECK (state = 'running' OR id <> '{job_id}')"
            )

    yield nail
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE queue_jobs DROP CONSTRAINT IF EXISTS nailed")


def test_a_row_that_cannot_be_taken_back_keeps_no_other(
    nailed: Callable[[UUID], None], in_tenant: Tenant
) -> None:
    stuck, good = enqueue(QUEUE, payload={}), enqueue(QUEUE, payload={})
    for _ in range(2):
        assert claim(queues.queue(QUEUE))
    silence(QUEUE)
    nailed(stuck)
    assert take_back_silent() == 1
    assert (state(stuck)[0], state(good)[0]) == ("running", "retrying")


def test_a_claim_that_never_beat_comes_back(in_tenant: Tenant) -> None:
    job_id = enqueue(QUEUE, payload={})
    assert claim(queues.queue(QUEUE))
    rows = QueueJob.objects.filter(pk=job_id)
    rows.update(beat_at=None)
    assert take_back_silent() == 0
    rows.update(claimed_at="2020-01-01T00:00:00Z")
    assert take_back_silent() == 1
    assert state(job_id)[0] == "retrying"


def test_a_claim_that_was_never_dated_comes_back(in_tenant: Tenant) -> None:
    """Set to running by hand: neither a beat nor the moment of a claim."""
    job_id = enqueue(QUEUE, payload={})
    QueueJob.objects.filter(pk=job_id).update(
        state="running", attempts=1, beat_at=None, claimed_at=None, created_at="2020-01-01T00:00:00Z"
    )
    assert take_back_silent() == 1
    assert state(job_id)[0] == "retrying"


@pytest.mark.parametrize("running", [False, True], ids=["waiting", "running"])
def test_rows_of_a_queue_renamed_away_stay_and_disturb_nobody(
    in_tenant: Tenant, handle: Handle, running: bool
) -> None:
    handle(QUEUE, lambda job: None)
    stray = QueueJob.objects.create(
        queue="mail-in",
        key="k",
        tenant=in_tenant,
        attempts=1,
        state="running" if running else "waiting",
        beat_at="2020-01-01T00:00:00Z" if running else None,
    )
    enqueue(QUEUE, payload={})
    handed: list[tuple[str, int]] = []
    Dispatcher(lambda row, due: handed.append((row.name, due))).step()
    assert handed == [(QUEUE, 1)]
    assert state(stray.pk) == ("running" if running else "waiting", "")


def test_a_tenant_that_vanishes_takes_its_rows_and_stops_nobody(
    committed_db: None, tenant: Tenant, other_tenant: Tenant, handle: Handle
) -> None:
    ran: list[UUID | None] = []

    def run(job: Job) -> None:
        ran.append(job.tenant_id)

    handle(QUEUE, run)
    for each in (tenant, other_tenant):
        with tenant_context(each):
            enqueue(QUEUE, payload={})
            enqueue(QUEUE, payload={})
    gone = claim(queues.queue(QUEUE))
    assert gone and gone.tenant_id
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tenants WHERE id = %s", [gone.tenant_id])
    execute(gone)
    assert run_due(QUEUE) == 2
    left = ({tenant.id, other_tenant.id} - {gone.tenant_id}).pop()
    assert set(QueueJob.objects.filter(queue=QUEUE).values_list("tenant_id", "state")) == {(left, "done")}


def test_a_run_that_always_kills_its_worker_ends(in_tenant: Tenant) -> None:
    job_id = enqueue(QUEUE, payload={})
    for _ in range(queues.queue(QUEUE).attempts):
        make_due(QUEUE)
        assert claim(queues.queue(QUEUE))
        silence(QUEUE)
        assert take_back_silent() == 1
    assert state(job_id) == ("failed", "its worker went silent")
    assert claim(queues.queue(QUEUE)) is None
