"""What goes into a turn and what comes out of it (contract §8.1)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.agent.sources import Source
from apps.agent.tools.declaration import Channel
from apps.integrations.llm.metering import UsageTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whom a channel says it is talking to; at most what it can vouch for."""

    ref: str | None = None
    email: str | None = None
    slack_user_id: str | None = None
    display_name: str | None = None
    # False for an author of another company's workspace: a shared channel vouches for nobody.
    in_workspace: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackPlace:
    """Where in Slack; a channel id that starts with D is a direct message."""

    channel_id: str
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One message to be answered. ``thread_key`` continues a conversation; ``history`` replaces the logged one.

    ``run_id`` is given by whoever may have to run a turn again after a crash: under the same id no action is
    taken twice. A ``replay`` tries a question out: it acts on nothing and writes neither log nor record.
    """

    message: str = field(repr=False)
    channel: Channel
    caller: Caller
    thread_key: str | None = None
    history: Sequence[dict[str, Any]] | None = field(default=None, repr=False)
    slack: SlackPlace | None = None
    source: str = "runtime"
    replay: bool = False
    run_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallSummary:
    """One tool call as callers see it."""

    name: str
    args: dict[str, Any] = field(repr=False)
    success: bool
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """What came of a turn. ``success`` false means the answer is an honest failure, or rests on failed calls."""

    response: str = field(repr=False)
    success: bool
    tool_calls: tuple[ToolCallSummary, ...]
    sources: tuple[Source, ...]
    trace_id: str
    thread_key: str
    usage: UsageTotals
    images: tuple[Any, ...] = field(default=(), repr=False)
