"""Traces of agent runs for those who run a tracer; a silent nothing for everybody else (contract §3.3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from apps.foundation import clock
from apps.foundation.trace import current_trace_id, time_ordered_id
from apps.integrations.llm.metering import Usage
from apps.integrations.llm.opik_exporter import configured, opik_exporter
from apps.integrations.llm.trace_content import traced_as, traced_content
from apps.integrations.llm.trace_records import Exporter, Kind, ScoreRecord, SpanRecord, TraceRecord

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Notes:
    """What a block says about itself while it runs."""

    listening: bool = True
    kind: Kind = "general"
    output: Any = field(default=None, repr=False)
    model: str | None = None
    usage: Usage | None = None
    error: str | None = None

    def result(self, output: Any, *, error: str | None = None) -> None:
        """What came of it."""
        if self.listening:
            self.output, self.error = traced_as(self.kind, output), error

    def spent(self, usage: Usage, *, model: str) -> None:
        """Tokens and cost of the model call that this block is."""
        self.usage, self.model = usage, model


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in which trace the code runs; copied into the threads of tools with their context."""

    exporter: Exporter
    trace_id: str
    parent_id: str | None = None


_place: ContextVar[_Place | None] = ContextVar("root_trace_place", default=None)


@contextmanager
def agent_trace(name: str, *, trace_id: str, given: Any = None, **metadata: Any) -> Iterator[Notes]:
    """Makes the block one trace; everything traced inside, in whichever thread, belongs to it."""
    exporter = opik_exporter() if configured() else None
    if exporter is None:
        yield Notes(listening=False)
        return
    started_at, notes = clock.now(), Notes()
    try:
        with _standing_at(_Place(exporter, trace_id), notes):
            yield notes
    finally:
        record = TraceRecord(
            id=trace_id,
            name=name,
            started_at=started_at,
            ended_at=clock.now(),
            input=traced_content(given),
            output=notes.output,
            metadata=traced_content(metadata),
            error=notes.error,
        )
        _deliver(lambda: exporter.trace(record))


@contextmanager
def span(name: str, *, kind: Kind = "general", given: Any = None) -> Iterator[Notes]:
    """Makes the block one step of the trace it runs in; without a trace it costs next to nothing."""
    place = _place.get()
    if place is None:
        yield Notes(listening=False)
        return
    started_at, notes, span_id = clock.now(), Notes(kind=kind), str(time_ordered_id())
    # Taken now: a tool may change its arguments, and a list of messages goes on growing.
    told = traced_as(kind, given)
    try:
        with _standing_at(_Place(place.exporter, place.trace_id, span_id), notes):
            yield notes
    finally:
        record = SpanRecord(
            id=span_id,
            trace_id=place.trace_id,
            parent_id=place.parent_id,
            name=name,
            kind=kind,
            started_at=started_at,
            ended_at=clock.now(),
            input=told,
            output=notes.output,
            model=notes.model,
            usage=notes.usage,
            error=notes.error,
        )
        _deliver(lambda: place.exporter.span(record))


def log_feedback_score(name: str, value: float, *, reason: str = "", trace_id: str | None = None) -> None:
    """Attaches a judgement to a trace: the current one, unless another is named."""
    wanted = trace_id or current_trace_id()
    exporter = opik_exporter() if wanted and configured() else None
    if exporter is None or wanted is None:
        return
    record = ScoreRecord(trace_id=wanted, name=name, value=float(value), reason=traced_content(reason))
    _deliver(lambda: exporter.score(record))


@contextmanager
def _standing_at(place: _Place, notes: Notes) -> Iterator[None]:
    """Notes how the block ended: by the code of our own errors, by the type of all others."""
    token = _place.set(place)
    try:
        yield
    except BaseException as error:
        notes.error = str(getattr(error, "code", "") or type(error).__name__)
        raise
    finally:
        _place.reset(token)


def _deliver(send: Callable[[], None]) -> None:
    try:
        send()
    except Exception as error:  # noqa: BLE001 - a broken tracer must not cost anybody an answer
        _log.warning("a trace record was lost: %s", type(error).__name__)
