"""The pool takes what it can hold, refuses the rest at once, and leaves no connection behind."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import pytest
from django.db import connection

from apps.channels.turn_pool import TurnPool
from apps.foundation.errors import Unavailable

WAIT = 20.0
marker: ContextVar[str] = ContextVar("marker", default="unset")


def test_it_refuses_what_it_cannot_hold_and_recovers() -> None:
    pool = TurnPool(workers=1, waiting=1)
    release = threading.Event()
    held = [pool.submit(lambda: release.wait(WAIT)) for _ in range(2)]
    with pytest.raises(Unavailable):
        pool.submit(lambda: True)
    release.set()
    assert all(future.result(WAIT) for future in held)
    assert pool.submit(lambda: "again").result(WAIT) == "again"


def test_work_sees_the_context_it_was_submitted_in() -> None:
    pool = TurnPool(workers=1, waiting=1)
    marker.set("first")
    first = pool.submit(marker.get)
    marker.set("second")
    assert (first.result(WAIT), pool.submit(marker.get).result(WAIT)) == ("first", "second")


def test_a_failure_is_the_callers_and_frees_the_place() -> None:
    pool = TurnPool(workers=1, waiting=0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            pool.submit(lambda: 1 // 0).result(WAIT)


def test_the_connection_goes_back(committed_db: None) -> None:
    pool = TurnPool(workers=1, waiting=1)

    def use() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return connection.connection is not None

    assert pool.submit(use).result(WAIT)
    assert pool.submit(lambda: connection.connection is None).result(WAIT)
