"""Taking back claims that went silent: killed workers and hung runs (contract §13)."""

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction

from apps.foundation import queues
from apps.tenancy.jobs import settle
from apps.tenancy.jobs.claim import COLUMNS, job_of

log = logging.getLogger(__name__)

# A claim that never beat is as old as its claim.
_IS_SILENT = """
state = 'running' AND queue = ANY(%(queues)s)
AND (beat_at < statement_timestamp() - %(silence)s
    OR (beat_at IS NULL AND COALESCE(claimed_at, created_at) < statement_timestamp() - %(silence)s))
"""
_SILENT = f"SELECT id FROM queue_jobs WHERE {_IS_SILENT} ORDER BY beat_at NULLS FIRST LIMIT %(limit)s"  # noqa: S608
_STILL_SILENT = f"""
SELECT queue, {COLUMNS} FROM queue_jobs WHERE {_IS_SILENT} AND id = %(id)s FOR UPDATE SKIP LOCKED
"""  # noqa: S608 -- constants only


def take_back_silent(*, silent_seconds: float | None = None, limit: int = 1000) -> int:
    """Returns every silent claim to its queue, or closes it when no attempt is left; gives the number.

    Claims of queues that are no longer in the table stay as they are, until the name is back.
    """
    silence = timedelta(seconds=queues.SILENT_SECONDS if silent_seconds is None else silent_seconds)
    with connection.cursor() as cursor:
        cursor.execute(_SILENT, _values(silence, limit=limit))
        found = [job_id for (job_id,) in cursor.fetchall()]
    return sum(_take_back(job_id, silence) for job_id in found)


def _take_back(job_id: UUID, silence: timedelta) -> bool:
    """One row in a transaction of its own: one that cannot be taken back does not keep the others."""
    try:
        with transaction.atomic():
            return _take_back_locked(job_id, silence)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("the silent claim on job %s could not be taken back", job_id)
        return False


def _take_back_locked(job_id: UUID, silence: timedelta) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_STILL_SILENT, _values(silence, id=job_id))
        found = cursor.fetchone()
    if found is None:
        return False
    job = job_of(queues.queue(found[0]), found[1:])
    log.warning("job %s of %s went silent in attempt %s", job.id, job.queue.name, job.attempt)
    return settle.take_back(job, "its worker went silent")


def _values(silence: timedelta, **more: Any) -> dict[str, Any]:
    return {"queues": list(queues.QUEUES), "silence": silence, **more}
