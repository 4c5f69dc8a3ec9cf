"""A small in-process cache whose entries expire, safe for threads."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class TtlCache(Generic[K, V]):
    """Keeps up to ``max_entries`` values for ``seconds``; the least recently written leaves first."""

    def __init__(
        self, seconds: float, max_entries: int = 1024, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._max_entries = max_entries
        self._timer = timer
        self._entries: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()
        _every_cache.append(self)

    def get(self, key: K) -> V | None:
        """The value, or None when absent or expired."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry[0] <= self._timer():
                del self._entries[key]
                return None
            return entry[1]

    def put(self, key: K, value: V, *, seconds: float | None = None) -> None:
        """Stores a value, for its own number of ``seconds`` if given."""
        with self._lock:
            self._entries[key] = (self._timer() + (self._seconds if seconds is None else seconds), value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forgets one key."""
        with self._lock:
            self._entries.pop(key, None)

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._entries.clear()


_every_cache: list[TtlCache[Any, Any]] = []


def clear_all() -> None:
    """Empties every cache of this process: between tests, and after a restore of the database."""
    for cache in _every_cache:
        cache.clear()
