"""Giving the database connection back while something slow is awaited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

from apps.foundation import pace
from apps.foundation.patient_connection import PatientConnection

ANSWER_SECONDS = 3


class TransactionHeld(RuntimeError):
    """A model or HTTP call was about to be made inside a transaction: a bug in the caller."""


def in_application_transaction(alias: str = DEFAULT_DB_ALIAS) -> bool:
    """Is a transaction of our own open, so that what is read here may yet be undone?"""
    # Django marks the transaction a test case wraps around everything; only blocks of our own code count.
    return any(not getattr(block, "_from_testcase", False) for block in connections[alias].atomic_blocks)


@contextmanager
def released(alias: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Returns this thread's connection to the pool, and its place at work, for the length of the block.

    Called by the LLM client, the guarded HTTP client and Slack's client only. Raises :class:`TransactionHeld` inside an
    application transaction; does nothing inside the one a test wraps around itself.
    """
    if in_application_transaction(alias):
        raise TransactionHeld("a transaction must not span a model or HTTP call")
    connection = connections[alias]
    if connection.connection is not None and not connection.in_atomic_block:
        connection.close()
    with pace.away():
        yield


@contextmanager
def at_work() -> Iterator[None]:
    """A piece of a turn's work: in a place of its own, and with no connection left open behind it."""
    with pace.at_work():
        try:
            yield
        finally:
            give_back()


def stand_ready(count: int, alias: str = DEFAULT_DB_ALIAS) -> None:
    """Opens connections ahead of their use, and keeps them; without waiting for a database that is still down."""
    pool = getattr(connections[alias], "pool", None)
    if pool is not None:
        pool.open(wait=False)
        pool.resize(min_size=min(count, pool.max_size), max_size=pool.max_size)


def wait_at_most(seconds: float, alias: str = DEFAULT_DB_ALIAS) -> None:
    """How long callers of this process wait for a connection; said before the first one is taken."""
    pool = connections[alias].settings_dict["OPTIONS"].get("pool")
    if isinstance(pool, dict):
        pool["timeout"] = seconds


def give_back() -> None:
    """Returns this thread's connections to the pool; one inside a transaction stays where it is."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def direct_connection(alias: str = DEFAULT_DB_ALIAS, **libpq: Any) -> psycopg.Connection[Any]:
    """A connection of its own, beside the pool: for session locks, and for asking whether Postgres is there."""
    wanted = connections[alias].get_connection_params()
    for ours in ("cursor_factory", "context", "prepare_threshold"):
        wanted.pop(ours, None)
    return PatientConnection.connect(**{**wanted, **libpq}, autocommit=True)


def answers() -> bool:
    """Does Postgres answer at all, within three seconds and however busy the pool is?"""
    try:
        with direct_connection(connect_timeout=ANSWER_SECONDS) as connection:
            connection.execute("")
    except (psycopg.Error, OSError):
        return False
    return True
