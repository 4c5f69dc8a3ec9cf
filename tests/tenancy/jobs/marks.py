"""What the jobs of a killed fleet left behind, read from the table of the test."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from django.db import connection


def marks(kind: str, columns: str = "job, attempt, queue", *, where: str = "TRUE") -> list[tuple[Any, ...]]:
    """Marks of one kind, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM job_marks WHERE kind = %s AND {where} ORDER BY at", [kind])
        return list(cursor.fetchall())


def count(kind: str, *, where: str = "TRUE") -> int:
    """How many there are."""
    return int(marks_one(f"SELECT count(*) FROM job_marks WHERE kind = '{kind}' AND {where}"))


def marks_one(statement: str) -> Any:
    """The single value of a query."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found = cursor.fetchone()
    return found[0] if found else None


def lost_and_doubled(asked: list[str]) -> tuple[list[str], list[str]]:
    """Which jobs left no effect, and which left more than one."""
    effects = Counter(job for (job,) in marks("effect", "job"))
    return [job for job in asked if not effects[job]], [job for job, times in effects.items() if times > 1]


def state_counts() -> dict[str, int]:
    """The job table, ticks aside: how many rows are in which state."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT state, count(*) FROM queue_jobs WHERE NOT tick GROUP BY state")
        return dict(cursor.fetchall())


def all_done(number: int) -> bool:
    """Are exactly that many rows done, and no other left?"""
    return state_counts() == {"done": number}


def measured(text: str) -> None:
    """A figure of this run: pytest shows it with ``-s``, and with a failure."""
    sys.stdout.write(f"measured: {text}\n")
