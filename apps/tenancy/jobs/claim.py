"""Taking the next due row of a queue, tenants in turn; or one that a person names (contract §13)."""

import json
import os
import socket
import threading
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from apps.foundation.queues import Queue
from apps.tenancy.jobs.job import Job
from apps.tenancy.models.jobs import NO_TENANT

# A row rests while its key is under way, or while another row of its `serial_by` runs.
_FREE = """
    j.state IN ('waiting', 'retrying')
    AND NOT EXISTS (
        SELECT 1 FROM queue_jobs b WHERE b.queue = j.queue AND b.key = j.key AND b.id <> j.id
        AND b.tenant_id IS NOT DISTINCT FROM j.tenant_id AND b.state IN ('running', 'retrying'))
    AND (j.serial_by IS NULL OR NOT EXISTS (
        SELECT 1 FROM queue_jobs b WHERE b.queue = j.queue AND b.serial_by = j.serial_by AND b.id <> j.id
        AND b.tenant_id IS NOT DISTINCT FROM j.tenant_id AND b.state = 'running'))
"""
CLAIMABLE = f"j.run_after <= statement_timestamp() AND {_FREE}"
COLUMNS = "id, key, tenant_id, payload, checkpoint, attempts, fence, tick, asked"
_NEXT = f"""
SELECT j.id FROM queue_jobs j
WHERE j.queue = %(queue)s AND COALESCE(j.tenant_id, '{NO_TENANT}'::uuid) >= %(from_tenant)s
AND {CLAIMABLE}
ORDER BY COALESCE(j.tenant_id, '{NO_TENANT}'::uuid), j.run_after
LIMIT 1 FOR UPDATE OF j SKIP LOCKED
"""  # noqa: S608 -- constants only
# By hand: also a row that is not due yet, and none a second time.
_NAMED = f"""
SELECT j.id FROM queue_jobs j
WHERE j.queue = %(queue)s AND j.key = %(key)s AND NOT j.id = ANY(%(without)s) AND {_FREE}
ORDER BY j.run_after LIMIT 1 FOR UPDATE OF j SKIP LOCKED
"""  # noqa: S608 -- constants only
_CLAIM = f"""
UPDATE queue_jobs SET state = 'running', attempts = attempts + 1, fence = fence + 1, claimed_by = %(worker)s,
    claimed_at = statement_timestamp(), beat_at = statement_timestamp()
WHERE id = ({{found}})
RETURNING {COLUMNS}
"""  # noqa: S608 -- constants only
_CLAIM_NEXT = _CLAIM.format(found=_NEXT)
_CLAIM_NAMED = _CLAIM.format(found=_NAMED)
_RACES = 5


class Turns:
    """Whose turn it is: each claim of this process starts behind the tenant served last."""

    def __init__(self) -> None:
        self._last: dict[str, UUID] = {}
        self._lock = threading.Lock()

    def start(self, queue: str) -> UUID:
        """The lowest tenant id whose turn comes next."""
        with self._lock:
            last = self._last.get(queue)
        return NO_TENANT if last is None or last.int + 1 >= 2**128 else UUID(int=last.int + 1)

    def served(self, queue: str, tenant_id: UUID | None) -> None:
        """Moves the turn behind this tenant."""
        with self._lock:
            self._last[queue] = tenant_id or NO_TENANT


turns = Turns()


def claim(row: Queue) -> Job | None:
    """The next job of a queue with its attempt counted, or None when nothing is due."""
    start = turns.start(row.name)
    found = _claim_from(row, start)
    if found is None and start != NO_TENANT:
        found = _claim_from(row, NO_TENANT)
    if found is not None:
        turns.served(row.name, found.tenant_id)
    return found


def claim_named(row: Queue, *, key: str, without: list[UUID]) -> Job | None:
    """A job of this key in any tenant, due or not, save those in `without`; None when there is no other."""
    return _claim(row, _CLAIM_NAMED, {"key": key, "without": without})


def worker_name() -> str:
    """Names this process in a claim, for people who look at the table."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _claim_from(row: Queue, start: UUID) -> Job | None:
    return _claim(row, _CLAIM_NEXT, {"from_tenant": start})


def _claim(row: Queue, statement: str, chosen: dict[str, Any]) -> Job | None:
    values: dict[str, Any] = {"worker": worker_name(), "queue": row.name, **chosen}
    for _ in range(_RACES):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, values)
                found = cursor.fetchone()
        except IntegrityError:
            # Another worker has just started a row of the same `serial_by`; look again.
            continue
        return job_of(row, found) if found else None
    return None


def job_of(row: Queue, columns: tuple[Any, ...]) -> Job:
    """A claimed row, as selected by `COLUMNS`, for its handler; what cannot be read is marked, and raises nothing."""
    job_id, key, tenant_id, payload, checkpoint, attempts, fence, tick, asked = columns
    job = Job(
        id=job_id,
        queue=row,
        key=key,
        tenant_id=tenant_id,
        payload={},
        checkpoint=None,
        attempt=attempts,
        fence=fence,
        tick=tick,
        asked=asked,
    )
    try:
        job.payload = _object(payload) or {}
        job.checkpoint = _object(checkpoint)
    except (ValueError, TypeError, RecursionError):
        job.unreadable = True
    return job


def _object(value: Any) -> dict[str, Any] | None:
    # Django asks the driver to leave JSON columns as text; only its own fields parse them.
    parsed = json.loads(value) if isinstance(value, str) else value
    if parsed is not None and not isinstance(parsed, dict):
        raise TypeError("not an object")
    return parsed
