"""The id under which everything one turn does is recorded."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_trace_id: ContextVar[str | None] = ContextVar("root_trace_id", default=None)


def current_trace_id() -> str | None:
    """The id of the turn this code runs in, if any."""
    return _trace_id.get()


def time_ordered_id() -> uuid.UUID:
    """A UUID of version 7: sorted by time, and the only kind some tracers take."""
    milliseconds = time.time_ns() // 1_000_000
    return uuid.UUID(
        int=milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    )


@contextmanager
def tracing(trace_id: str | None = None) -> Iterator[str]:
    """Runs a block under a trace id, a new one unless given."""
    chosen = trace_id or time_ordered_id().hex
    token = _trace_id.set(chosen)
    try:
        yield chosen
    finally:
        _trace_id.reset(token)
