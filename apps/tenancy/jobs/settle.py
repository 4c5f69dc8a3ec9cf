"""Closing a claim: done, again later, or failed; each only while the claim holds (contract §2.6, §13)."""

import logging
import time
import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, connection, transaction

from apps.foundation.database import give_back
from apps.foundation.errors import RootError
from apps.foundation.text import one_line
from apps.tenancy.jobs import registry
from apps.tenancy.jobs.job import GiveUp, Job
from apps.tenancy.jobs.tenant import entered

log = logging.getLogger(__name__)

_HELD = "WHERE id = %s AND fence = %s AND state = 'running'"
# A row and the event of its end are one statement: neither is ever without the other.
_NOTED = """
    RETURNING queue, id, claimed_at)
INSERT INTO queue_job_events (queue, job_id, status, duration_ms, error)
SELECT queue, id, %s, LEAST(GREATEST(
    extract(epoch FROM statement_timestamp() - claimed_at) * 1000, 0), 2147483647)::integer, %s FROM ended
"""
_DONE = f"""
WITH ended AS (
    UPDATE queue_jobs SET state = 'done', finished_at = statement_timestamp(), beat_at = NULL,
        checkpoint = NULL, error = %s {_HELD} {_NOTED}
"""  # noqa: S608 -- constants only
_FAILED = f"""
WITH ended AS (
    UPDATE queue_jobs SET state = 'failed', finished_at = statement_timestamp(), beat_at = NULL,
        error = %s {_HELD} {_NOTED}
"""  # noqa: S608 -- constants only
_AGAIN = f"""
UPDATE queue_jobs SET state = 'retrying', beat_at = NULL, run_after = statement_timestamp() + %s,
    attempts = attempts - %s, error = %s {_HELD}
"""  # noqa: S608 -- constants only
_TRIES = 4


def finish(job: Job) -> bool:
    """Marks the job done; False when the claim was lost meanwhile."""
    return _ended(job, _DONE, "completed", "")


def skip(job: Job, reason: str) -> bool:
    """Marks the job done without a run; False when the claim was lost meanwhile."""
    return _ended(job, _DONE, "completed", reason)


def fail(job: Job, error: Exception) -> bool:
    """Rests for the next attempt, or closes the row for good; False when the claim was lost."""
    text = describe(error)
    if job.is_last_attempt or isinstance(error, GiveUp):
        return close_failed(job, text)
    return _held(job, _AGAIN, job.queue.backoff.after(job.attempt), 0, text)


def hand_back(job: Job, *, after: timedelta = timedelta(0), error: str = "") -> bool:
    """Returns a row whose run ended early on purpose; the attempt does not count."""
    return _held(job, _AGAIN, after, 1, error)


def take_back(job: Job, error: str) -> bool:
    """Ends a claim from outside: another attempt at once, or the end when none is left."""
    if job.is_last_attempt:
        return close_failed(job, error)
    return _held(job, _AGAIN, timedelta(0), 0, error)


def close_failed(job: Job, error: str) -> bool:
    """Fails the row for good and tells the handler's `gave_up`, both or neither."""
    with transaction.atomic():
        if not _ended(job, _FAILED, "failed", error):
            return False
        tell(job, error)
    log.error(
        "job %s of %s failed for good after %s attempts: %s", job.id, job.queue.name, job.attempt, error
    )
    return True


def describe(error: Exception) -> str:
    """One line about an error for the table. Only our own errors have texts that are safe to keep."""
    if isinstance(error, RootError):
        return one_line(f"{error.code}: {error.message}", limit=500)
    if isinstance(error, GiveUp):
        return one_line(str(error) or "gave up", limit=500)
    return f"{type(error).__name__}{_place(error)}"


def persistently(step: Callable[[], bool]) -> bool:
    """Runs a closing step through short database outages: a finished job must not run again."""
    for attempt in range(1, _TRIES):
        try:
            return step()
        except (OperationalError, InterfaceError):
            log.warning("database did not answer while a job was closed, try %s", attempt)
            give_back()
            time.sleep(attempt)
    return step()


def tell(job: Job, error: str) -> None:
    """Tells the handler's `gave_up`, in the caller's transaction; one that fails keeps no row from its end."""
    try:
        gave_up = registry.handler_for(job.queue.name).gave_up
        if gave_up is not None:
            with transaction.atomic(), entered(job.tenant_id):
                gave_up(job, error)
    except Exception:
        log.exception("nobody heard that job %s of %s failed for good", job.id, job.queue.name)


def _ended(job: Job, statement: str, status: str, error: str) -> bool:
    return _changed(statement, error, job.id, job.fence, status, error)


def _held(job: Job, statement: str, *values: Any) -> bool:
    return _changed(statement, *values, job.id, job.fence)


def _changed(statement: str, *values: Any) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return bool(cursor.rowcount == 1)


def _place(error: Exception) -> str:
    """Where it was raised, in our own code if that is on the way."""
    frames = [
        (str(frame.f_globals.get("__name__", "?")), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    ours = [place for place in frames if place[0].startswith("apps.") and place[0] != "apps.tenancy.jobs.run"]
    chosen = ours or frames
    return f" in {chosen[-1][0]}:{chosen[-1][1]}" if chosen else ""
