"""Taking back claims that went silent: killed workers and hung runs (contract §13)."""

import logging
from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from apps.foundation import queues
from apps.tenancy.jobs import settle
from apps.tenancy.jobs.claim import COLUMNS, job_of

log = logging.getLogger(__name__)

_SILENT = f"""
SELECT queue, {COLUMNS} FROM queue_jobs
WHERE state = 'running' AND beat_at < statement_timestamp() - %s AND queue = ANY(%s)
ORDER BY beat_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""  # noqa: S608 -- constants only


def take_back_silent(*, silent_seconds: float | None = None, limit: int = 1000) -> int:
    """Returns every silent claim to its queue, or closes it when no attempt is left; gives the number."""
    silence = timedelta(seconds=queues.SILENT_SECONDS if silent_seconds is None else silent_seconds)
    for count in range(limit):
        if not _take_back_one(silence):
            return count
    return limit


def _take_back_one(silence: Any) -> bool:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_SILENT, [silence, list(queues.QUEUES)])
            found = cursor.fetchone()
        if found is None:
            return False
        job = job_of(queues.queue(found[0]), found[1:])
        log.warning("job %s of %s went silent in attempt %s", job.id, job.queue.name, job.attempt)
        return settle.take_back(job, "its worker went silent")
