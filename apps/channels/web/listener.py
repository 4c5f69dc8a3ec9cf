"""The browser at the other end of a turn: it may leave, or say stop (contract §8.4)."""

from __future__ import annotations

import threading
from uuid import UUID
from weakref import WeakValueDictionary


class WebListener:
    """Flags that the web side raises and the turn's thread reads."""

    def __init__(self) -> None:
        self._left = threading.Event()
        self._cancelled = threading.Event()

    def leave(self) -> None:
        self._left.set()

    def cancel(self) -> None:
        self._cancelled.set()

    def left(self) -> bool:
        return self._left.is_set()

    def cancelled(self) -> bool:
        return self._cancelled.is_set()


_listening: WeakValueDictionary[tuple[UUID, str], WebListener] = WeakValueDictionary()
_lock = threading.Lock()


def listen(tenant_id: UUID, turn_id: str | None) -> WebListener:
    """A listener for one turn, findable by the id its caller chose for as long as the turn lives."""
    listener = WebListener()
    if turn_id is not None:
        with _lock:
            _listening[tenant_id, turn_id] = listener
    return listener


def find(tenant_id: UUID, turn_id: str) -> WebListener | None:
    """The listener of a turn of this process, while it lives."""
    with _lock:
        return _listening.get((tenant_id, turn_id))


def cancel(tenant_id: UUID, turn_id: str) -> bool:
    """Stops a turn of this process; False when there is none under this id (any more)."""
    listener = find(tenant_id, turn_id)
    if listener is not None:
        listener.cancel()
    return listener is not None
