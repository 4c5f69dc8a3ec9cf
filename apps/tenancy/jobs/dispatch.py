"""The dispatcher: once a second, due rows find a worker and silent claims come back (contract §13)."""

import logging
import threading
import time
from collections.abc import Callable

from django.db import connection

from apps.foundation import queues
from apps.foundation.database import give_back
from apps.tenancy.jobs import registry, retention
from apps.tenancy.jobs.claim import CLAIMABLE
from apps.tenancy.jobs.silence import take_back_silent

log = logging.getLogger(__name__)

EVERY_SECONDS = 1.0
SWEEP_SECONDS = 60.0
Deliver = Callable[[queues.Queue, int], None]

# Counting stops at a queue's width: more than that is never handed out at once. The order is that of an index; without
# it a backlog in one queue makes Postgres read the whole table for each of the others.
_DUE = f"""
SELECT q.name, found.due FROM unnest(%s::text[], %s::int[]) AS q(name, width)
CROSS JOIN LATERAL (
    SELECT count(*) AS due FROM (
        SELECT 1 FROM queue_jobs j WHERE j.queue = q.name AND {CLAIMABLE}
        ORDER BY j.run_after LIMIT q.width) AS counted) AS found
WHERE found.due > 0
"""  # noqa: S608 -- constants only


def due_counts() -> dict[str, int]:
    """Queues with claimable rows, and how many, up to each queue's width."""
    rows = registry.handled()
    with connection.cursor() as cursor:
        cursor.execute(_DUE, [[row.name for row in rows], [queues.width(row) for row in rows]])
        return dict(cursor.fetchall())


class Dispatcher:
    """Hands due rows to a carrier: nudges through Celery, or threads of the same process."""

    def __init__(self, deliver: Deliver, *, silent_seconds: float | None = None) -> None:
        self._deliver = deliver
        self._silent_seconds = silent_seconds
        self._next_sweep = 0.0

    def step(self) -> None:
        """One round. A row that cannot be taken back must not keep every other queue from being served."""
        try:
            take_back_silent(silent_seconds=self._silent_seconds)
        except Exception:
            log.exception("silent claims could not be taken back; due rows are handed out all the same")
        for name, due in due_counts().items():
            self._deliver(queues.queue(name), due)
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEP_SECONDS
            retention.sweep()

    def run(self, stop: threading.Event, *, wake: threading.Event | None = None) -> None:
        """Rounds until asked to stop; a failed round is logged and the next one follows."""
        signal = wake or stop
        while not stop.is_set():
            signal.wait(EVERY_SECONDS)
            if wake is not None:
                wake.clear()
            if stop.is_set():
                return
            try:
                self.step()
            except Exception:
                log.exception("a dispatcher round failed; the next one follows")
            finally:
                give_back()
