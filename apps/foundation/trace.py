"""The id under which everything one turn does is recorded."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_trace_id: ContextVar[str | None] = ContextVar("root_trace_id", default=None)


def current_trace_id() -> str | None:
    """The id of the turn this code runs in, if any."""
    return _trace_id.get()


@contextmanager
def tracing(trace_id: str | None = None) -> Iterator[str]:
    """Runs a block under a trace id, a new one unless given."""
    chosen = trace_id or uuid.uuid4().hex
    token = _trace_id.set(chosen)
    try:
        yield chosen
    finally:
        _trace_id.reset(token)
