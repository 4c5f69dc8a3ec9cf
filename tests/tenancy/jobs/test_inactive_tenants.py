"""An inactive tenant takes no turns: its jobs rest, are skipped, or are their handler's to decide."""

from __future__ import annotations

import pytest

from apps.foundation import queues
from apps.foundation.ttl_cache import clear_all
from apps.tenancy.jobs import Job, enqueue, enqueue_tick, run_due
from apps.tenancy.models import Tenant
from apps.tenancy.models.jobs import QueueJobEvent
from apps.tenancy.tenants import shadow_of
from tests.tenancy.jobs.conftest import Handle, make_due, only

RESTS, SKIPS, HANDLES = "conversation-memory", "embedding-audit", "channel-turns"
WAYS = {"rest": RESTS, "skip": SKIPS, "handle": HANDLES}


def set_status(tenant: Tenant, status: str) -> None:
    Tenant.objects.filter(pk=tenant.pk).update(status=status)
    clear_all()


def counted(handle: Handle, queue: str) -> list[Job]:
    ran: list[Job] = []
    handle(queue, ran.append)
    return ran


def test_the_three_ways_are_those_of_the_table() -> None:
    assert {way: queues.queue(name).inactive for way, name in WAYS.items()} == {way: way for way in WAYS}


@pytest.mark.parametrize("status", ["suspended", "provisioning"])
def test_accepted_work_waits_and_costs_no_attempt(in_tenant: Tenant, handle: Handle, status: str) -> None:
    ran = counted(handle, RESTS)
    enqueue(RESTS, payload={})
    set_status(in_tenant, status)
    for _ in range(5):
        run_due(RESTS)
        make_due(RESTS)
    assert ran == []
    row = only(RESTS)
    assert (row.state, row.attempts, row.error) == ("retrying", 0, "tenant inactive")
    set_status(in_tenant, "active")
    run_due(RESTS)
    assert len(ran) == 1
    assert only(RESTS).state == "done"


def test_a_sweep_is_skipped(in_tenant: Tenant, handle: Handle) -> None:
    ran = counted(handle, SKIPS)
    enqueue(SKIPS, payload={})
    set_status(in_tenant, "suspended")
    run_due(SKIPS)
    assert ran == []
    assert (only(SKIPS).state, only(SKIPS).error) == ("done", "tenant inactive")
    event = QueueJobEvent.objects.get()
    assert (event.status, event.error) == ("completed", "tenant inactive")


def test_what_must_be_recorded_reaches_its_handler(in_tenant: Tenant, handle: Handle) -> None:
    ran = counted(handle, HANDLES)
    enqueue(HANDLES, payload={})
    set_status(in_tenant, "suspended")
    run_due(HANDLES)
    assert len(ran) == 1


def test_a_shadow_rests_with_its_live_community(tenant: Tenant, handle: Handle) -> None:
    from apps.tenancy.context import tenant_context

    ran = counted(handle, RESTS)
    with tenant_context(shadow_of(tenant)):
        enqueue(RESTS, payload={})
    set_status(tenant, "suspended")
    run_due(RESTS)
    assert ran == []
    assert only(RESTS).error == "tenant inactive"


def test_a_tick_belongs_to_nobody_and_runs(db: None, handle: Handle) -> None:
    ran = counted(handle, SKIPS)
    enqueue_tick(SKIPS)
    run_due(SKIPS)
    assert len(ran) == 1


def test_every_schedule_skips() -> None:
    sweeps = [row for row in queues.QUEUES.values() if row.schedule_seconds is not None]
    assert {row.inactive for row in sweeps} == {"skip"}
