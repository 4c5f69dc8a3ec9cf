"""What a tracer is told: finished spans, finished traces, scores; and who may be told (contract §3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from apps.integrations.llm.metering import Usage

Kind = Literal["general", "llm", "tool"]


@dataclass(frozen=True, kw_only=True)
class SpanRecord:
    """One step of a run. ``error`` is a code, never a message that might quote somebody."""

    id: str
    trace_id: str
    parent_id: str | None
    name: str
    kind: Kind
    started_at: datetime
    ended_at: datetime
    input: Any = field(repr=False)
    output: Any = field(repr=False)
    model: str | None
    usage: Usage | None
    error: str | None


@dataclass(frozen=True, kw_only=True)
class TraceRecord:
    """One whole run of the agent."""

    id: str
    name: str
    started_at: datetime
    ended_at: datetime
    input: Any = field(repr=False)
    output: Any = field(repr=False)
    metadata: dict[str, Any]
    error: str | None


@dataclass(frozen=True, kw_only=True)
class ScoreRecord:
    """A judgement on a trace."""

    trace_id: str
    name: str
    value: float
    reason: str = field(repr=False)


class Exporter(Protocol):
    """Where records go. It may raise: tracing never lets that reach a turn."""

    def span(self, record: SpanRecord, /) -> None: ...

    def trace(self, record: TraceRecord, /) -> None: ...

    def score(self, record: ScoreRecord, /) -> None: ...
