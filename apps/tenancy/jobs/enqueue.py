"""Asking for work: a row in the caller's own transaction, then a nudge (contract §13)."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction

from apps.foundation import broker, queues
from apps.foundation.errors import BadInput
from apps.tenancy.context import current_tenant_id
from apps.tenancy.jobs import carrier, registry, settle
from apps.tenancy.jobs.claim import COLUMNS, job_of
from apps.tenancy.jobs.storable import storable_json, storable_name

MAX_DELAY = timedelta(days=366)

# Asking for work that already waits locks its row until the caller commits. Nobody can start the old row
# before the caller's writes are visible to it, so what came with this call is never overlooked.
_INSERT = """
INSERT INTO queue_jobs AS known
    (id, tenant_id, queue, key, serial_by, tick, payload, state, run_after,
     asked, attempts, fence, claimed_by, error, created_at)
VALUES (%(id)s, %(tenant)s, %(queue)s, %(key)s, %(serial_by)s, FALSE, %(payload)s::jsonb, 'waiting',
        statement_timestamp() + %(delay)s, 1, 0, 0, '', '', statement_timestamp())
ON CONFLICT (tenant_id, queue, key) WHERE state = 'waiting'
DO UPDATE SET asked = known.asked + 1
"""
_DEBOUNCE = ", run_after = EXCLUDED.run_after, payload = EXCLUDED.payload"

_WITHDRAW = f"DELETE FROM queue_jobs WHERE id = %s AND state = 'waiting' AND asked = 1 RETURNING {COLUMNS}"  # noqa: S608

_TICK = """
INSERT INTO queue_jobs
    (id, tenant_id, queue, key, serial_by, tick, payload, state, run_after,
     asked, attempts, fence, claimed_by, error, created_at)
SELECT %(id)s, NULL, %(queue)s,
       'tick:' || floor(extract(epoch FROM statement_timestamp()) / %(period)s)::bigint, 'tick', TRUE,
       '{}'::jsonb, 'waiting', statement_timestamp(), 1, 0, 0, '', '', statement_timestamp()
WHERE NOT EXISTS (
    SELECT 1 FROM queue_jobs WHERE queue = %(queue)s AND tick AND state = 'waiting')
ON CONFLICT DO NOTHING
"""


def enqueue(
    queue: str,
    *,
    payload: dict[str, Any],
    key: str | None = None,
    delay: timedelta | None = None,
    debounce: bool = False,
    serial_by: str | None = None,
) -> UUID:
    """Writes a job for the current tenant and returns its id, or the id of the one already waiting.

    A key names the work: while it waits, asking again changes nothing, or with `debounce` restarts its
    delay and replaces its payload; while it runs, asking again makes it run once more. Jobs of one
    queue with the same `serial_by` never run side by side. Queues that refuse to work without Redis
    raise :class:`broker.BrokerDown` before anything is written.
    """
    row = queues.queue(queue)
    wait = _checked_delay(delay)
    if debounce and key is None:
        raise BadInput("Only a job with a key can be debounced.")
    if row.without_redis == "refuse" and not broker.reachable():
        raise broker.BrokerDown
    job_id = uuid4()
    stored = _insert(
        _INSERT + (_DEBOUNCE if debounce else "") + " RETURNING id",
        id=job_id,
        tenant=current_tenant_id(),
        queue=row.name,
        key=storable_name(key, what="key") if key is not None else str(job_id),
        serial_by=storable_name(serial_by, what="serial_by") if serial_by is not None else None,
        payload=storable_json(payload, what="payload"),
        delay=wait,
    )
    assert stored is not None
    if not wait:
        transaction.on_commit(lambda: _announce(row, created=job_id if stored == job_id else None))
    return stored


def enqueue_tick(queue: str) -> UUID | None:
    """Writes the tick of the present time slot; None when it exists, or an older one still waits."""
    row = queues.queue(queue)
    if row.schedule_seconds is None:
        raise queues.UnknownQueue(f"{queue!r} has no schedule")
    made = _insert(_TICK + " RETURNING id", id=uuid4(), queue=row.name, period=row.schedule_seconds)
    if made is not None:
        transaction.on_commit(lambda: carrier.wake(row))
    return made


def _insert(statement: str, **values: Any) -> UUID | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found = cursor.fetchone()
    return found[0] if found else None


def _checked_delay(delay: timedelta | None) -> timedelta:
    if delay is None or delay <= timedelta(0):
        return timedelta(0)
    if delay > MAX_DELAY:
        raise BadInput("A job can be delayed by a year at most.")
    return delay


def _announce(row: queues.Queue, *, created: UUID | None) -> None:
    if row.without_redis != "refuse":
        carrier.wake(row)
        return
    try:
        carrier.nudge(row)
    except broker.BrokerDown:
        if created is None or _withdraw(row, created):
            raise


def _withdraw(row: queues.Queue, job_id: UUID) -> bool:
    """Deletes a row nobody has started; the caller then hears that it was not accepted.

    What the caller wrote beside it is committed by now, so its handler is told that nothing will come of that.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_WITHDRAW, [job_id])
            found = cursor.fetchone()
        if found is not None:
            # The handlers of a web process may not have been asked for before.
            registry.autodiscover()
            settle.tell(job_of(row, found), "the queue server cannot be reached")
    return found is not None
