"""The threads in which turns of waiting callers run: a fixed number and a bounded queue (contract §8.1)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import TypeVar

from apps.foundation.database import give_back
from apps.foundation.environment import env
from apps.foundation.errors import Unavailable

WAITING_PER_WORKER = 2
T = TypeVar("T")


class TurnPool:
    """Runs turns in the caller's context; refuses when too many wait already."""

    def __init__(self, *, workers: int, waiting: int) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="turn")
        self._places = threading.BoundedSemaphore(workers + waiting)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Starts the work, or raises :class:`Unavailable` at once."""
        if not self._places.acquire(blocking=False):
            raise Unavailable("Too many questions are being answered right now. Try again in a moment.")
        try:
            future = self._threads.submit(copy_context().run, _with_connections_returned, work)
        except BaseException:
            self._places.release()
            raise
        future.add_done_callback(lambda _done: self._places.release())
        return future


@cache
def turn_pool() -> TurnPool:
    """This process's pool, sized by ROOT_TURN_WORKERS."""
    workers = env().root_turn_workers
    return TurnPool(workers=workers, waiting=workers * WAITING_PER_WORKER)


def _with_connections_returned(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        give_back()
