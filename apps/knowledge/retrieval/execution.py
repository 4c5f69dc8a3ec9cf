"""Runs the statements of a search on one connection, so that one that fails or hangs spoils no other.

Each statement travels in one round trip with its settings and with the fence around it, which is rolled back: the
settings and, if it failed, its failure end with it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from django.db import DatabaseError, connection
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

log = logging.getLogger(__name__)

TIMEOUT_MS = 8_000
Row = tuple[Any, ...]

# How a fence begins and ends: a transaction of its own, or a part of the one that is open.
_ALONE: Final = ("BEGIN", ("ROLLBACK",))
_WITHIN: Final = ("SAVEPOINT lane", ("ROLLBACK TO SAVEPOINT lane", "RELEASE SAVEPOINT lane"))


@dataclass(frozen=True)
class Statement:
    """One lane's SQL with its parameters and the planner settings it depends on."""

    name: str
    sql: str
    parameters: Mapping[str, Any] = field(repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)


def run_statements(
    statements: Sequence[Statement], *, timeout_ms: int = TIMEOUT_MS
) -> dict[str, list[Row] | None]:
    """The rows of each statement by its name, None for one that failed or took longer than allowed."""
    results: dict[str, list[Row] | None] = dict.fromkeys((statement.name for statement in statements), None)
    if not statements:
        return results
    try:
        connection.ensure_connection()
        for statement in statements:
            results[statement.name] = _run(connection.connection, statement, timeout_ms=timeout_ms)
    except (psycopg.Error, DatabaseError) as error:
        log.warning("the search lost its database connection: %s", type(error).__name__)
        # Django heard nothing of it, and would go on with the dead connection.
        if not connection.in_atomic_block:
            connection.close()
    return results


def _run(raw: psycopg.Connection[Any], statement: Statement, *, timeout_ms: int) -> list[Row] | None:
    begin, end = _WITHIN if connection.in_atomic_block else _ALONE
    cursor, ended = _cursor(raw), False
    try:
        with raw.pipeline():
            _cursor(raw).execute(begin)
            _apply(raw, {"statement_timeout": str(timeout_ms), **statement.settings})
            cursor.execute(statement.sql, statement.parameters)
            _execute(raw, end)
        ended = True
        return cursor.fetchall()
    except psycopg.Error as error:
        log.warning("search lane %s failed: %s", statement.name, type(error).__name__)
        return None
    finally:
        if not ended:
            with raw.pipeline():
                _execute(raw, end)


def _execute(raw: psycopg.Connection[Any], commands: Sequence[str]) -> None:
    for command in commands:
        _cursor(raw).execute(command)


def _apply(raw: psycopg.Connection[Any], settings: Mapping[str, str]) -> None:
    calls = ", ".join("set_config(%s, %s, true)" for _ in settings)
    _cursor(raw).execute(
        f"SELECT {calls}",
        [part for setting in settings.items() for part in setting],
    )


def _cursor(raw: psycopg.Connection[Any]) -> psycopg.Cursor[Row]:
    """A cursor that binds on the server and sends vectors in binary; Django's own writes them out as text."""
    cursor = psycopg.Cursor(raw)
    cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
    return cursor
