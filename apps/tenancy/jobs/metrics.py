"""How the queues stand, counted live: depth, lag, what runs, what failed lately (contract §13)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection

from apps.foundation import queues
from apps.tenancy.jobs import registry

FAILURES_WITHIN = timedelta(minutes=10)
_WINDOW: list[Any] = [FAILURES_WITHIN]

_STANDING = """
SELECT queue, sum(depth), sum(resting), sum(running), sum(failures), COALESCE(max(lag), 0) FROM (
    SELECT queue, count(*) FILTER (WHERE run_after <= statement_timestamp()) AS depth,
        count(*) FILTER (WHERE run_after > statement_timestamp()) AS resting, 0 AS running, 0 AS failures,
        GREATEST(extract(epoch FROM statement_timestamp() - min(run_after)), 0) AS lag
    FROM queue_jobs WHERE state IN ('waiting', 'retrying') GROUP BY queue
    UNION ALL
    SELECT queue, 0, 0, count(*), 0, 0 FROM queue_jobs WHERE state = 'running' GROUP BY queue
    UNION ALL
    SELECT queue, 0, 0, 0, count(*), 0 FROM queue_job_events
    WHERE status = 'failed' AND created_at > statement_timestamp() - %s GROUP BY queue) AS parts
GROUP BY queue
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One queue at this moment. Rows of a name that is in no release any more are counted under that name."""

    queue: str
    depth: int = 0
    """Rows that are due: waiting, or resting no longer."""
    resting: int = 0
    """Rows whose delay or rest is not over."""
    running: int = 0
    failures: int = 0
    """Jobs that failed for good within `FAILURES_WITHIN`."""
    lag_seconds: float = 0.0
    """How long the oldest due row has been due."""

    @property
    def is_handled(self) -> bool:
        """Does an app of this release work on it?"""
        return self.queue in {row.name for row in registry.handled()}


def standings() -> list[Standing]:
    """Every queue of the table in its order, then names found in rows only."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, _WINDOW)
        found = {row[0]: _standing(*row) for row in cursor.fetchall()}
    strays = sorted(name for name in found if name not in queues.QUEUES)
    return [found.get(name) or Standing(queue=name) for name in [*queues.QUEUES, *strays]]


def _standing(queue: str, depth: int, resting: int, running: int, failures: int, lag: float) -> Standing:
    return Standing(
        queue=queue,
        depth=int(depth),
        resting=int(resting),
        running=int(running),
        failures=int(failures),
        lag_seconds=float(lag),
    )
