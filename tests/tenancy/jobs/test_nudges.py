"""Nudges: few, lost without harm, and never a reason for a request to fail, except where it must."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from apps.foundation import broker, queues
from apps.foundation.errors import Unavailable
from apps.tenancy.context import current_tenant
from apps.tenancy.jobs import carrier, enqueue, registry
from apps.tenancy.jobs.dispatch import Dispatcher, due_counts
from apps.tenancy.jobs.heartbeat import worker_seen, write
from apps.tenancy.models import QueueJob, Tenant
from tests.tenancy.jobs.conftest import Handle, nothing, only, rows

QUEUE = "notifications"
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def server(settings: Any) -> Iterator[redis.Redis]:
    """A Redis database of this test's own: nobody else's nudges are in it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    address = f"{os.environ['REDIS_URL']}?db={10 + int(worker) % 5}"
    settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
    client = redis.Redis.from_url(address)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


@pytest.fixture
def redis_down(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ENV = settings.ENV.model_copy(update={"redis_url": NOWHERE})
    monkeypatch.setattr(carrier, "_quiet_until", 0.0)


@pytest.fixture
def no_redis(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"redis_url": None})


def test_a_job_nudges_its_queue_when_the_caller_commits(
    server: redis.Redis, committed_db: None, in_tenant: Tenant
) -> None:
    enqueue(QUEUE, payload={})
    assert server.llen(QUEUE) == 1


def test_many_jobs_leave_as_many_nudges_as_run_at_once(
    server: redis.Redis, committed_db: None, in_tenant: Tenant
) -> None:
    for _ in range(10):
        enqueue(QUEUE, payload={})
    assert server.llen(QUEUE) == queues.queue(QUEUE).concurrency


def test_the_dispatcher_fills_up_lost_nudges_and_stops_there(
    server: redis.Redis, committed_db: None, in_tenant: Tenant, handle: Handle
) -> None:
    handle(QUEUE, nothing)
    for _ in range(10):
        enqueue(QUEUE, payload={})
    server.flushdb()
    dispatcher = Dispatcher(lambda row, due: carrier.wake(row, wanted=due))
    for _ in range(3):
        dispatcher.step()
    assert server.llen(QUEUE) == queues.queue(QUEUE).concurrency


def test_rows_that_may_not_start_are_not_counted_as_due(in_tenant: Tenant, handle: Handle) -> None:
    from apps.tenancy.jobs.claim import claim

    handle(QUEUE, nothing)
    enqueue(QUEUE, key="k", payload={})
    assert claim(queues.queue(QUEUE)) is not None
    enqueue(QUEUE, key="k", payload={})
    assert due_counts() == {}


def test_queues_without_a_handler_are_left_alone(in_tenant: Tenant) -> None:
    enqueue("slack-admin-broadcast", payload={})
    assert "slack-admin-broadcast" not in due_counts()


def test_a_redis_that_is_down_does_not_fail_the_caller(
    redis_down: None, committed_db: None, in_tenant: Tenant
) -> None:
    enqueue(QUEUE, payload={})
    assert only(QUEUE).state == "waiting"


@pytest.mark.parametrize("queue", ["email-inbound", "knowledge-source-sync"])
@pytest.mark.parametrize("outage", ["redis_down", "no_redis"])
def test_two_queues_refuse_work_they_cannot_pass_on(
    request: pytest.FixtureRequest, committed_db: None, in_tenant: Tenant, queue: str, outage: str
) -> None:
    request.getfixturevalue(outage)
    with pytest.raises(Unavailable):
        enqueue(queue, payload={})
    assert rows(queue) == []


def test_a_redis_that_dies_before_the_commit_leaves_no_accepted_row(
    server: redis.Redis, committed_db: None, in_tenant: Tenant, settings: Any
) -> None:
    from django.db import transaction

    with pytest.raises(broker.BrokerDown), transaction.atomic():
        enqueue("email-inbound", payload={})
        settings.ENV = settings.ENV.model_copy(update={"redis_url": NOWHERE})
    assert rows("email-inbound") == []


def test_the_handler_is_told_that_its_row_was_taken_back(
    server: redis.Redis, committed_db: None, in_tenant: Tenant, settings: Any, handle: Handle
) -> None:
    from django.db import transaction

    registry.autodiscover()
    heard: list[tuple[Any, ...]] = []
    handle(
        "knowledge-source-sync",
        nothing,
        gave_up=lambda job, error: heard.append((job.payload, current_tenant(), error)),
    )
    with pytest.raises(broker.BrokerDown), transaction.atomic():
        enqueue("knowledge-source-sync", payload={"run_id": "r"})
        settings.ENV = settings.ENV.model_copy(update={"redis_url": NOWHERE})
    assert heard == [({"run_id": "r"}, in_tenant, "the queue server cannot be reached")]


def test_a_row_that_was_accepted_before_outlives_a_later_refusal(
    server: redis.Redis, committed_db: None, in_tenant: Tenant, settings: Any
) -> None:
    from django.db import transaction

    first = enqueue("email-inbound", key="mail-1", payload={})
    # The second delivery of the mail finds Redis gone: it is refused, what the first was promised stays.
    with pytest.raises(broker.BrokerDown), transaction.atomic():
        enqueue("email-inbound", key="mail-1", payload={})
        settings.ENV = settings.ENV.model_copy(update={"redis_url": NOWHERE})
    assert [row.id for row in rows("email-inbound")] == [first]


def test_the_heartbeat_is_short_lived(server: redis.Redis) -> None:
    assert worker_seen() is False
    write()
    assert worker_seen() is True
    assert 0 < int(server.ttl("root:worker:heartbeat")) <= 15


@pytest.mark.parametrize("outage", ["redis_down", "no_redis"])
def test_no_worker_is_seen_without_redis(request: pytest.FixtureRequest, outage: str) -> None:
    request.getfixturevalue(outage)
    write()
    assert worker_seen() is False


@pytest.mark.parametrize(
    ("given", "for_celery", "for_client"),
    [
        ("redis://h:6379/2", "redis://h:6379/2", "redis://h:6379/2"),
        ("rediss://u:p@h/0", "rediss://u:p@h/0", "rediss://u:p@h/0"),
        ("unix:///run/v.sock", "redis+socket:///run/v.sock?virtual_host=0", "unix:///run/v.sock?db=0"),
        ("unix:///run/v.sock?db=3", "redis+socket:///run/v.sock?virtual_host=3", "unix:///run/v.sock?db=3"),
        (
            "redis+socket:///v.sock?virtual_host=4",
            "redis+socket:///v.sock?virtual_host=4",
            "unix:///v.sock?db=4",
        ),
    ],
)
def test_every_form_of_address_reaches_both_libraries(given: str, for_celery: str, for_client: str) -> None:
    assert broker.celery_address(given) == for_celery
    assert broker.client_address(given) == for_client


def test_nothing_is_nudged_for_a_delayed_job(
    server: redis.Redis, committed_db: None, in_tenant: Tenant
) -> None:
    from datetime import timedelta

    enqueue(QUEUE, payload={}, delay=timedelta(minutes=1))
    assert server.llen(QUEUE) == 0
    assert QueueJob.objects.filter(queue=QUEUE).count() == 1


@pytest.mark.usefixtures("in_tenant", "redis_down")
def test_a_row_that_cannot_be_taken_back_keeps_nobody_else_waiting(
    handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> int:
        raise RecursionError("a row nobody can read")

    handle(QUEUE, nothing)
    enqueue(QUEUE, payload={})
    monkeypatch.setattr("apps.tenancy.jobs.dispatch.take_back_silent", broken)
    handed: list[tuple[str, int]] = []
    Dispatcher(lambda row, due: handed.append((row.name, due))).step()
    assert handed == [(QUEUE, 1)]
