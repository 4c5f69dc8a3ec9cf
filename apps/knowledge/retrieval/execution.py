"""Runs the statements of a search on one connection, so that one that fails or hangs spoils no other.

Each statement travels with its settings in one round trip, inside a savepoint that is rolled back afterwards:
its settings and, if it failed, its failure end with it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.db import DatabaseError, connection, transaction
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

log = logging.getLogger(__name__)

TIMEOUT_MS = 8_000
Row = tuple[Any, ...]


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
    try:
        with transaction.atomic():
            connection.ensure_connection()
            for statement in statements:
                results[statement.name] = _run(connection.connection, statement, timeout_ms=timeout_ms)
    except (psycopg.Error, DatabaseError) as error:
        log.warning("the search lost its database connection: %s", type(error).__name__)
    return results


def _run(raw: psycopg.Connection[Any], statement: Statement, *, timeout_ms: int) -> list[Row] | None:
    cursor = _cursor(raw)
    try:
        with raw.pipeline():
            _cursor(raw).execute("SAVEPOINT lane")
            _apply(raw, {"statement_timeout": str(timeout_ms), **statement.settings})
            cursor.execute(statement.sql, statement.parameters)
        return cursor.fetchall()
    except psycopg.Error as error:
        log.warning("search lane %s failed: %s", statement.name, type(error).__name__)
        return None
    finally:
        with raw.pipeline():
            _cursor(raw).execute("ROLLBACK TO SAVEPOINT lane")
            _cursor(raw).execute("RELEASE SAVEPOINT lane")


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
