"""How many threads of a process work on turns at once; those that wait hold nothing.

A web process keeps hundreds of turns in flight, nearly all of them waiting for a model. Let loose on one
interpreter and one pool at the same moment they would only hinder each other, each holding a connection while it
waits for the interpreter. So a thread takes a place while it works and leaves it whenever it waits for the outside
(:func:`apps.foundation.database.released` sees to that). First come, first served.

It is a courtesy and no lock: after ``PATIENCE_SECONDS`` a thread goes ahead without a place, so that no tool
that forgets to leave its own can bring others to a halt.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache

from apps.foundation.environment import env

PATIENCE_SECONDS = 15.0


class Pace:
    """The places of one process. A thread has at most one, however often it asks."""

    def __init__(self, places: int, *, patience: float = PATIENCE_SECONDS) -> None:
        self._free = threading.Semaphore(places)
        self._patience = patience
        self._mine = threading.local()
        self._counting = threading.Lock()
        self.waited_seconds = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Works in a place of its own; inside another such block nothing changes."""
        if getattr(self._mine, "working", False):
            yield
            return
        self._come()
        try:
            yield
        finally:
            self._go()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Leaves the place for the length of the block, if the thread is at work at all."""
        if not getattr(self._mine, "working", False):
            yield
            return
        self._go()
        try:
            yield
        finally:
            self._come()

    def _come(self) -> None:
        # What a block inside another leaves and takes again may differ from what it found.
        began = time.monotonic()
        self._mine.taken = self._free.acquire(timeout=self._patience)
        self._mine.working = True
        with self._counting:
            self.waited_seconds += time.monotonic() - began

    def _go(self) -> None:
        self._mine.working = False
        if self._mine.taken:
            self._free.release()


@cache
def process_pace() -> Pace:
    """This process's own."""
    return Pace(places())


def places() -> int:
    """Half as many as there are connections: turns are not all that needs one."""
    return max(2, env().root_db_pool_size // 2)


def at_work() -> AbstractContextManager[None]:
    """A block of work on a turn: see :class:`Pace`."""
    return process_pace().at_work()


def away() -> AbstractContextManager[None]:
    """A block of waiting for the outside: see :class:`Pace`."""
    return process_pace().away()
