"""Asking for work: one waiting row a key, in the caller's transaction."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from apps.foundation.errors import BadInput
from apps.foundation.queues import UnknownQueue
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.jobs import enqueue
from apps.tenancy.models import QueueJob, Tenant
from tests.tenancy.jobs.conftest import only, rows

QUEUE = "conversation-memory"


def test_a_job_is_a_row_of_the_current_tenant(in_tenant: Tenant) -> None:
    job_id = enqueue(QUEUE, payload={"principal": "p1"})
    row = only(QUEUE)
    assert (row.id, row.tenant_id, row.payload, row.state) == (
        job_id,
        in_tenant.id,
        {"principal": "p1"},
        "waiting",
    )


def test_without_a_tenant_nothing_is_enqueued(db: None) -> None:
    with pytest.raises(NoTenant):
        enqueue(QUEUE, payload={})


def test_asking_again_for_a_waiting_key_adds_no_row(in_tenant: Tenant) -> None:
    first = enqueue(QUEUE, key="member-1", payload={"n": 1}, delay=timedelta(minutes=5))
    due = only(QUEUE).run_after
    assert enqueue(QUEUE, key="member-1", payload={"n": 2}, delay=timedelta(minutes=9)) == first
    row = only(QUEUE)
    assert (row.run_after, row.payload, row.asked) == (due, {"n": 1}, 2)


def test_debouncing_restarts_the_delay_and_takes_the_newest_payload(in_tenant: Tenant) -> None:
    first = enqueue(QUEUE, key="thread", payload={"n": 1}, delay=timedelta(minutes=5), debounce=True)
    due = only(QUEUE).run_after
    again = enqueue(QUEUE, key="thread", payload={"n": 2}, delay=timedelta(minutes=10), debounce=True)
    row = only(QUEUE)
    assert again == first
    assert row.run_after >= due + timedelta(minutes=4)
    assert row.payload == {"n": 2}


def test_jobs_without_a_key_never_merge(in_tenant: Tenant) -> None:
    assert enqueue(QUEUE, payload={}) != enqueue(QUEUE, payload={})


def test_two_tenants_may_use_the_same_key(tenant: Tenant, other_tenant: Tenant) -> None:
    for each in (tenant, other_tenant):
        with tenant_context(each):
            enqueue(QUEUE, key="same", payload={})
    assert {row.tenant_id for row in rows(QUEUE)} == {tenant.id, other_tenant.id}


def test_a_rolled_back_caller_leaves_no_job(in_tenant: Tenant) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        enqueue(QUEUE, payload={})
        _ = 1 / 0
    assert not QueueJob.objects.filter(queue=QUEUE).exists()


def test_a_negative_delay_means_now(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={}, delay=timedelta(seconds=-5))
    assert only(QUEUE).run_after <= timezone.now()


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [1],
        "text",
        {"when": timedelta(1)},
        {"n": float("nan")},
        {1: "number as a name"},
        {"big": "x" * (4 * 1024 * 1024)},
    ],
    ids=["none", "list", "text", "type", "nan", "name", "huge"],
)
def test_a_payload_must_be_a_bounded_json_object(in_tenant: Tenant, payload: Any) -> None:
    with pytest.raises(BadInput):
        enqueue(QUEUE, payload=payload)


def test_a_payload_that_contains_itself_is_refused(in_tenant: Tenant) -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(BadInput):
        enqueue(QUEUE, payload=loop)


def test_text_that_postgres_refuses_is_cleaned(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={"a\x00": ["b\x00c", {"d": "\ud800"}]})
    assert only(QUEUE).payload == {"a": ["bc", {"d": "\ufffd"}]}


@pytest.mark.parametrize("key", ["k" * 5000, "a\x00b", "\ud800", "ключ" * 400])
def test_hostile_keys_dedupe_like_any_other(in_tenant: Tenant, key: str) -> None:
    first = enqueue(QUEUE, key=key, payload={})
    assert enqueue(QUEUE, key=key, payload={}) == first
    assert enqueue(QUEUE, key=key + "x", payload={}) != first


@pytest.mark.parametrize(
    "wrong",
    [{"key": ""}, {"debounce": True}, {"delay": timedelta(days=4000)}, {"serial_by": ""}],
    ids=["empty key", "debounce without key", "delay of years", "empty serial"],
)
def test_arguments_that_make_no_sense_are_refused(in_tenant: Tenant, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        enqueue(QUEUE, payload={}, **wrong)


def test_an_unknown_queue_is_refused(in_tenant: Tenant) -> None:
    with pytest.raises(UnknownQueue):
        enqueue("conversation-memories", payload={})
