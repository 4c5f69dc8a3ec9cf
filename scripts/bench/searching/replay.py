"""The very statements a search issued, recorded from the driver and run again bare on one connection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

Issued = tuple[Any, Any, type[psycopg.Cursor[Any]]]


@contextmanager
def recording() -> Iterator[list[Issued]]:
    """Every statement any cursor of this process runs in the block, in order."""
    issued: list[Issued] = []
    original: Callable[..., Any] = psycopg.Cursor.execute

    def execute(self: psycopg.Cursor[Any], query: Any, params: Any = None, **more: Any) -> Any:
        plain = psycopg.ClientCursor if isinstance(self, psycopg.ClientCursor) else psycopg.Cursor
        issued.append((query, params, plain))
        return original(self, query, params, **more)

    psycopg.Cursor.execute = execute  # type: ignore[method-assign]
    try:
        yield issued
    finally:
        psycopg.Cursor.execute = original  # type: ignore[method-assign]


class Bare:
    """One connection with nothing around it."""

    def __init__(self) -> None:
        # Not prepared on the server, like Django's connections: a generic plan would be another statement.
        self._connection = psycopg.connect(os.environ["DATABASE_URL"], prepare_threshold=None)
        self._connection.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)

    def run(self, issued: list[Issued]) -> None:
        for query, params, cursor_type in issued:
            cursor = cursor_type(self._connection)
            cursor.execute(query, params)
            if cursor.description is not None:
                cursor.fetchall()
        self._connection.commit()

    def close(self) -> None:
        self._connection.close()
