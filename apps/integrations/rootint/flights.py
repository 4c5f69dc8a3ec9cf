"""One caller does the work, the others know that it is being done."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Flights(Generic[K]):
    """Keys that somebody in this process is busy with."""

    def __init__(self) -> None:
        self._busy: dict[K, threading.Event] = {}
        self._lock = threading.Lock()

    @contextmanager
    def claim(self, keys: Iterable[K]) -> Iterator[frozenset[K]]:
        """Takes those of the keys nobody has; they are free again when the block ends, however it ends."""
        with self._lock:
            mine = frozenset(key for key in keys if key not in self._busy)
            self._busy.update({key: threading.Event() for key in mine})
        try:
            yield mine
        finally:
            with self._lock:
                landed = [self._busy.pop(key) for key in mine]
            for event in landed:
                event.set()

    def wait(self, key: K, *, seconds: float) -> None:
        """Waits until the one who has this key is done."""
        with self._lock:
            event = self._busy.get(key)
        if event is not None:
            event.wait(seconds)
