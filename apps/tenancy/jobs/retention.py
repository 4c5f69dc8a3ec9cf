"""How long finished rows and the events of their ends stay (contract §2.6, §13)."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import connection

KEEP_DONE = timedelta(days=1)
KEEP_FAILED = timedelta(days=7)
KEEP_TICKS = 200
KEEP_EVENTS = timedelta(days=30)
_BATCH = 5000
log = logging.getLogger(__name__)

# What else is swept each minute, whoever owns it. Apps above append when they are ready; each takes a batch at once.
ALSO_SWEPT: list[Callable[[], int]] = []

_OLD = """
DELETE FROM queue_jobs WHERE id IN (
    SELECT id FROM queue_jobs WHERE finished_at IS NOT NULL AND (
        (state = 'done' AND finished_at < statement_timestamp() - %(done)s)
        OR (state = 'failed' AND finished_at < statement_timestamp() - %(failed)s))
    LIMIT %(batch)s)
"""
# The newest rows of a slot must stay, or a second scheduler could make its tick again.
_SURPLUS_TICKS = """
DELETE FROM queue_jobs WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY queue ORDER BY finished_at DESC) AS place
        FROM queue_jobs WHERE tick AND state = 'done' AND finished_at IS NOT NULL) AS ticks
    WHERE place > %s LIMIT %s)
"""
_OLD_EVENTS = """
DELETE FROM queue_job_events WHERE id IN (
    SELECT id FROM queue_job_events WHERE created_at < statement_timestamp() - %(events)s LIMIT %(batch)s)
"""


def sweep() -> int:
    """Deletes what is past its time, a batch at once; returns the number of rows."""
    limits: dict[str, Any] = {
        "done": KEEP_DONE,
        "failed": KEEP_FAILED,
        "events": KEEP_EVENTS,
        "batch": _BATCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(_OLD, limits)
        count: int = cursor.rowcount
        cursor.execute(_SURPLUS_TICKS, [KEEP_TICKS, _BATCH])
        count += cursor.rowcount
        cursor.execute(_OLD_EVENTS, limits)
        count += cursor.rowcount
    return count + sum(_swept(other) for other in ALSO_SWEPT)


def _swept(other: Callable[[], int]) -> int:
    try:
        return other()
    except Exception:
        log.exception("a retention sweep failed; the others go on")
        return 0
