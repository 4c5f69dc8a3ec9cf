"""Without Redis the calling process does the work, delays and debounce included."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from apps.foundation import queues
from apps.tenancy.context import current_tenant
from apps.tenancy.jobs import Job, enqueue, inline
from apps.tenancy.jobs.runs import runs
from apps.tenancy.models import Tenant
from tests.tenancy.jobs.conftest import Handle, only, rows

QUEUE = "conversation-memory"


def until(question: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 30
    while not question():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _alone(committed_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.ENV = settings.ENV.model_copy(update={"redis_url": None})
    monkeypatch.setattr(inline, "pool", inline.InlinePool())
    yield
    inline.pool.stop()
    runs.resume()


def test_a_job_runs_in_this_process_after_the_commit(in_tenant: Tenant, handle: Handle) -> None:
    seen: list[tuple[str, bool]] = []
    main = threading.current_thread()
    handle(QUEUE, lambda job: seen.append((current_tenant().slug, threading.current_thread() is main)))
    with transaction.atomic():
        enqueue(QUEUE, payload={})
        assert seen == []
    until(lambda: [row.state for row in rows(QUEUE)] == ["done"], "the job is done")
    assert seen == [(in_tenant.slug, False)]


def test_a_debounced_job_runs_once_with_the_newest_payload(in_tenant: Tenant, handle: Handle) -> None:
    seen: list[int] = []
    handle(QUEUE, lambda job: seen.append(job.payload["n"]))
    for number in range(4):
        enqueue(QUEUE, key="t", payload={"n": number}, delay=timedelta(seconds=1), debounce=True)
    # A delayed row needs no caller: the dispatcher, once started, finds it.
    inline.wake()
    until(lambda: only(QUEUE).state == "done", "the job is done")
    assert seen == [3]


def test_no_more_run_at_once_than_the_queue_allows(in_tenant: Tenant, handle: Handle) -> None:
    gate, lock = threading.Event(), threading.Lock()
    now, most = [0], [0]

    def run(job: Job) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        gate.wait(30)
        with lock:
            now[0] -= 1

    handle(QUEUE, run)
    for _ in range(6):
        enqueue(QUEUE, payload={})
    width = queues.queue(QUEUE).concurrency
    until(lambda: now[0] == width, "as many run as may")
    gate.set()
    until(lambda: {row.state for row in rows(QUEUE)} == {"done"}, "all are done")
    assert most[0] == width


def test_a_process_that_ends_returns_what_runs(
    in_tenant: Tenant, handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inline, "STOP_SECONDS", 0.2)
    gate = threading.Event()

    def run(job: Job) -> None:
        gate.wait(30)

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    until(lambda: only(QUEUE).state == "running", "the job runs")
    inline.pool.stop()
    row = only(QUEUE)
    assert (row.state, row.attempts) == ("retrying", 0)
    gate.set()
    assert runs.wait_idle(30)
    assert only(QUEUE).state == "retrying"
