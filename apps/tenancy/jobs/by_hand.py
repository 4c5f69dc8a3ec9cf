"""What an operator does to jobs from a terminal: run them here, put in a tick, let time pass (contract §13)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from apps.foundation import queues
from apps.foundation.environment import env
from apps.foundation.errors import BadInput, Forbidden
from apps.foundation.text import one_line
from apps.tenancy.jobs import registry
from apps.tenancy.jobs.claim import claim, claim_named
from apps.tenancy.jobs.enqueue import enqueue_tick
from apps.tenancy.jobs.job import Job
from apps.tenancy.jobs.run import execute
from apps.tenancy.jobs.storable import storable_name
from apps.tenancy.models import QueueJob

MOST = 1000
LONGEST_ADVANCE = timedelta(days=366)

_ADVANCE = """
UPDATE queue_jobs SET run_after = run_after - %s
WHERE state IN ('waiting', 'retrying') AND run_after > statement_timestamp()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run and what became of its row."""

    job_id: UUID
    key: str
    state: str
    error: str


def known_queue(name: str) -> queues.Queue:
    """The queue of that name; raises :class:`BadInput` with the names there are."""
    try:
        return queues.queue(name)
    except queues.UnknownQueue:
        raise BadInput(
            f"No queue is called {one_line(name, limit=60)}; there are {', '.join(queues.QUEUES)}."
        ) from None


def run_here(name: str, *, key: str | None = None) -> Iterator[Ended]:
    """Runs what is due in a queue in this thread, or the rows of one key whether due or not.

    It ends when nothing is left or a row comes round again: one that asks for more time would never end.
    """
    row = known_queue(name)
    if row not in registry.handled():
        raise BadInput(f"Nothing in this release works on {name} yet; its rows wait.")
    wanted = None if key is None else storable_name(key, what="key")
    ran: list[UUID] = []
    while len(ran) < MOST:
        job = claim(row) if wanted is None else claim_named(row, key=wanted, without=ran)
        if job is None:
            return
        again = job.id in ran
        ran.append(job.id)
        execute(job)
        yield _ended(job)
        if again:
            return


def tick(name: str) -> UUID | None:
    """Puts in the tick of the present time slot; None when the slot has one, or an older one waits."""
    row = known_queue(name)
    if row.schedule_seconds is None:
        raise BadInput(f"{name} has no schedule, so it has no ticks.")
    return enqueue_tick(name)


def advance(by: timedelta) -> int:
    """Brings every delay and rest nearer; gives the number of rows. For development only."""
    if env().is_production:
        raise Forbidden("Time is not moved in production: jobs would run before they should.")
    if not timedelta(0) < by <= LONGEST_ADVANCE:
        raise BadInput("Time moves by more than nothing and by a year at most.")
    values: list[Any] = [by]
    with connection.cursor() as cursor:
        cursor.execute(_ADVANCE, values)
        return int(cursor.rowcount)


def _ended(job: Job) -> Ended:
    found = QueueJob.objects.filter(pk=job.id).first()
    state, error = (found.state, found.error) if found else ("gone", "its tenant was deleted meanwhile")
    return Ended(job_id=job.id, key=job.key, state=state, error=error)
