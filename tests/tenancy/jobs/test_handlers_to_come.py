"""Queues whose handlers come later: marked as such, and nothing put into them is lost."""

from __future__ import annotations

import json
import os
from io import StringIO
from typing import Any

import pytest
import redis
from django.core.management import call_command

from apps.foundation import queues
from apps.tenancy.jobs import enqueue, registry, run_due
from apps.tenancy.jobs.dispatch import Dispatcher
from apps.tenancy.models import Tenant
from root_platform import workers
from tests.tenancy.jobs.conftest import Handle, only

TO_COME = [row for row in queues.QUEUES.values() if row.arrives_with is not None]


def test_exactly_the_queues_without_a_handler_are_marked() -> None:
    registry.autodiscover()
    unhandled = set(queues.QUEUES) - {row.name for row in registry.handled()}
    assert {row.name for row in TO_COME} == unhandled


def test_no_process_is_started_for_them() -> None:
    registry.autodiscover()
    started = {child.name for child in workers.fleet()}
    assert started == {"scheduler"} | {f"worker {row.name}" for row in registry.handled()}


@pytest.mark.parametrize("row", TO_COME, ids=lambda row: row.name)
def test_a_row_waits_is_seen_and_runs_once_there_is_a_handler(
    committed_db: None, in_tenant: Tenant, handle: Handle, settings: Any, row: queues.Queue
) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    address = f"{os.environ['REDIS_URL']}?db={10 + int(worker) % 5}"
    settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
    redis.Redis.from_url(address).flushdb()
    enqueue(row.name, key="k", payload={"n": 1})
    Dispatcher(lambda *_: None).step()
    assert run_due() == 0
    assert only(row.name).state == "waiting"

    out = StringIO()
    call_command("jobs", "list", "--json", stdout=out)
    told = json.loads(out.getvalue())
    standing = next(each for each in told["queues"] if each["queue"] == row.name)
    assert (standing["depth"], standing["handled"]) == (1, False)
    assert [(each["queue"], each["state"]) for each in told["rows"]] == [(row.name, "waiting")]

    seen: list[Any] = []
    handle(row.name, lambda job: seen.append(job.payload))
    assert run_due(row.name) == 1
    assert seen == [{"n": 1}]
