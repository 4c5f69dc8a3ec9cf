"""A claimed job as its handler sees it (contract §13)."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from apps.foundation.queues import Queue
from apps.tenancy.jobs.storable import storable_json


class Later(Exception):
    """A handler raises this to be run again after a while; it costs no attempt."""

    def __init__(self, after: timedelta = timedelta(0)) -> None:
        super().__init__(f"again in {after}")
        self.after = after


class GiveUp(Exception):
    """A handler raises this when no further attempt can help."""


class LostClaim(Exception):
    """The row was taken back: whatever this run still wanted to write belongs to another run now."""


@dataclass(slots=True, kw_only=True)
class Job:
    """One claim on one row. `fence` grows with every claim; only its current holder may write.

    An `unreadable` row holds what nobody can parse: it is never run, and fails for good.
    """

    id: UUID
    queue: Queue
    key: str
    tenant_id: UUID | None
    payload: dict[str, Any] = field(repr=False)
    checkpoint: dict[str, Any] | None = field(repr=False)
    attempt: int
    fence: int
    tick: bool
    asked: int
    closed: bool = False
    unreadable: bool = False
    _halt: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def is_last_attempt(self) -> bool:
        """Would a failure now be final?"""
        return self.attempt >= self.queue.attempts

    @property
    def stopping(self) -> bool:
        """Should a long run save its checkpoint and end: the worker stops, or the claim is lost."""
        return self._halt.is_set()

    def halt(self) -> None:
        """Asks the run to end; it is the run that looks."""
        self._halt.set()

    def save_checkpoint(self, state: dict[str, Any]) -> None:
        """Stores what a retry must reuse; raises :class:`LostClaim` when the row is another run's."""
        text = storable_json(state, what="checkpoint")
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE queue_jobs SET checkpoint = %s::jsonb, beat_at = statement_timestamp()"
                " WHERE id = %s AND fence = %s AND state = 'running'",
                [text, self.id, self.fence],
            )
            if cursor.rowcount != 1:
                self.halt()
                raise LostClaim(str(self.id))
        self.checkpoint = state

    @contextmanager
    def fenced(self, *, finish: bool = False) -> Iterator[None]:
        """A transaction that commits only while this claim holds; raises :class:`LostClaim` otherwise.

        The row stays locked until the commit, so nobody can take the job back in between. With `finish`
        the same commit ends the job: a worker killed a moment later leaves nothing that would be repeated.
        """
        from apps.tenancy.jobs import settle

        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT 1 FROM queue_jobs WHERE id = %s AND fence = %s AND state = 'running' FOR SHARE",
                    [self.id, self.fence],
                )
                if cursor.fetchone() is None:
                    self.halt()
                    raise LostClaim(str(self.id))
            yield
            if finish:
                settle.finish(self)
        self.closed = self.closed or finish
