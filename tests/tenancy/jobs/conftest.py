"""Handlers for one test, and the table as people see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apps.foundation import queues
from apps.tenancy.jobs import Job, registry
from apps.tenancy.jobs.runs import runs
from apps.tenancy.models import QueueJob

Handle = Callable[..., None]


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
