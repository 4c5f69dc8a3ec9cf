"""One turn: a message in, an answer out, whatever the channel (contract §8.1)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.agent import conversations
from apps.agent.conversations import Exchange
from apps.agent.hooks import TurnWatch
from apps.agent.kernel.types import RunResult
from apps.agent.listener import Listener, PatientListener
from apps.agent.opening import opening_messages
from apps.agent.runner import run_agent
from apps.agent.sources import Source, sources_of
from apps.agent.tools.declaration import Channel
from apps.agent.tools.surface import Surface, surface_for
from apps.foundation.errors import BadInput, Forbidden
from apps.foundation.text import clean
from apps.foundation.trace import tracing
from apps.integrations import identity
from apps.integrations.identity import ResolvedPerson
from apps.integrations.llm.metering import UsageTotals, collecting
from apps.integrations.rootint.registry import active_integrations
from apps.tenancy.context import current_tenant

MESSAGE_LIMIT = 32_000
ANONYMOUS = "anonymous"


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
    """One message to be answered. ``thread_key`` continues a conversation; ``history`` replaces the logged one."""

    message: str = field(repr=False)
    channel: Channel
    caller: Caller
    thread_key: str | None = None
    history: Sequence[dict[str, Any]] | None = field(default=None, repr=False)
    slack: SlackPlace | None = None
    source: str = "runtime"
    replay: bool = False


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


def run_turn(
    request: TurnRequest,
    *,
    on_event: Callable[[dict[str, Any]], None] = lambda _event: None,
    listener: Listener | None = None,
) -> TurnOutcome:
    """Answers one message for the current tenant. Blocks until done; call it in a thread.

    ``on_event`` gets the stream's phase, plan, tool and progress lines, from several threads, one at a time.
    Raises :class:`BadInput` for an empty or oversized message, :class:`Forbidden` for an inactive tenant.
    """
    message = _checked_message(request.message)
    if not current_tenant().is_active:
        raise Forbidden("This community is not active.")
    with tracing() as trace_id, collecting() as usage:
        turn = _Turn(request, message=message, trace_id=trace_id)
        result = turn.run(on_event, TurnWatch(listener or PatientListener()))
        return turn.conclude(result, usage=usage.totals())


class _Turn:
    """The steps of one turn, in order: who, what was said before, what may be used, run, log."""

    def __init__(self, request: TurnRequest, *, message: str, trace_id: str) -> None:
        self.request = request
        self.message = message
        self.trace_id = trace_id
        self.person = self._resolve()
        self.exchange = self._exchange()
        self.surface = self._surface()

    def run(self, on_event: Callable[[dict[str, Any]], None], watch: TurnWatch) -> RunResult:
        messages = opening_messages(
            self.surface, tenant=current_tenant(), message=self.message, history=self._history()
        )
        if not self.request.replay:
            conversations.record_inbound(
                self.exchange, text=self.message, metadata={"trace_id": self.trace_id}
            )
        return run_agent(
            run_id=uuid.UUID(self.trace_id),
            messages=messages,
            tools=self.surface.tools,
            hooks=watch.hooks(),
            on_event=on_event,
            cancelled=watch.is_over,
        )

    def conclude(self, result: RunResult, *, usage: UsageTotals) -> TurnOutcome:
        text = clean(result.text).strip()
        outcome = TurnOutcome(
            response=text,
            success=result.success,
            tool_calls=tuple(
                ToolCallSummary(name=c.name, args=c.arguments, success=c.success, duration_ms=c.duration_ms)
                for c in result.calls
            ),
            sources=sources_of(
                result.calls, answer=text, tools={tool.name: tool for tool in self.surface.tools}
            ),
            trace_id=self.trace_id,
            thread_key=self.exchange.thread_key,
            usage=usage,
            images=tuple(image for call in result.calls for image in call.images),
        )
        if not self.request.replay:
            self._log(outcome, failure=result.failure)
        return outcome

    def _resolve(self) -> ResolvedPerson:
        caller = self.request.caller
        return identity.resolve(
            ref=caller.ref,
            email=caller.email,
            slack_user_id=caller.slack_user_id,
            display_name=caller.display_name,
            in_workspace=caller.in_workspace,
            channel=self.request.channel,
        )

    def _surface(self) -> Surface:
        place = self.request.slack
        return surface_for(
            self.person,
            channel=self.request.channel,
            message=self.message,
            integrations=active_integrations(),
            slack_channel_id=place.channel_id if place else None,
            thread_ts=place.thread_ts if place else None,
        )

    def _history(self) -> list[dict[str, Any]]:
        if self.request.history is not None:
            return list(self.request.history)
        if not self.request.thread_key:
            return []
        return conversations.as_messages(conversations.thread_history(self.exchange.thread_key))

    def _exchange(self) -> Exchange:
        place = self.request.slack
        return Exchange(
            key=conversations.new_exchange_key(),
            channel=self.request.channel,
            thread_key=self._thread_key(),
            member_id=self.person.ref,
            principal=self.person.principal,
            source=self.request.source,
            slack_user_id=self.person.slack_user_id or "",
            slack_channel_id=place.channel_id if place else "",
            slack_thread_ts=(place.thread_ts or "") if place else "",
            from_email=self.person.email or "",
        )

    def _thread_key(self) -> str:
        given = self.request.thread_key
        if not given and self.person.ref == ANONYMOUS:
            # Strangers share a name, so each of their conversations gets a key nobody else can guess.
            given = uuid.uuid4().hex
        return conversations.thread_key_for(self.request.channel, user=self.person.ref, given=given)

    def _log(self, outcome: TurnOutcome, *, failure: str | None) -> None:
        conversations.record_outbound(
            self.exchange,
            text=outcome.response,
            status="recorded" if failure is None else "failed",
            metadata={
                "trace_id": self.trace_id,
                "success": outcome.success,
                "failure": failure,
                "tools": [{"name": c.name, "success": c.success} for c in outcome.tool_calls],
                "sources": [
                    {"title": s.title, "url": s.url, "kind": s.kind, "ref": s.ref} for s in outcome.sources
                ],
            },
        )


def _checked_message(message: str) -> str:
    text = clean(message).strip()
    if not text:
        raise BadInput("The message is empty.")
    if len(text) > MESSAGE_LIMIT:
        raise BadInput(f"The message is longer than {MESSAGE_LIMIT:,} characters.")
    return text
