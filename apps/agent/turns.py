"""One turn: a message in, an answer out, whatever the channel (contract §8.1)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from apps.agent import conversations
from apps.agent.conversations import Exchange
from apps.agent.fencing import Fence
from apps.agent.hooks import TurnHooks
from apps.agent.interventions import system_failures
from apps.agent.interventions.system_failures import SystemFailure
from apps.agent.kernel.types import RunResult
from apps.agent.listener import Listener, PatientListener
from apps.agent.opening import Opening, opening_messages
from apps.agent.record.journal import Journal
from apps.agent.record.run import RunRecord
from apps.agent.runner import run_agent
from apps.agent.sources import sources_of
from apps.agent.tools.surface import Surface, surface_for
from apps.agent.turn_values import Caller, SlackPlace, ToolCallSummary, TurnOutcome, TurnRequest
from apps.foundation.database import at_work
from apps.foundation.errors import BadInput, Forbidden, RootError
from apps.foundation.text import clean, is_blank
from apps.foundation.trace import time_ordered_id, tracing
from apps.integrations import identity
from apps.integrations.identity import ResolvedPerson
from apps.integrations.llm.metering import UsageCollector, collecting
from apps.integrations.rootint.registry import active_integrations
from apps.tenancy.context import current_tenant

__all__ = [
    "MESSAGE_LIMIT",
    "Caller",
    "SlackPlace",
    "ToolCallSummary",
    "TurnOutcome",
    "TurnRequest",
    "run_turn",
]
MESSAGE_LIMIT = 32_000
ANONYMOUS = "anonymous"


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
    run_id = request.run_id or time_ordered_id()
    with tracing(run_id.hex), collecting() as usage, _crashes_told(request, run_id=run_id):
        with at_work():
            turn = _Turn(request, message=message, run_id=run_id, usage=usage)
        return turn.take(on_event, listener or PatientListener())


@contextmanager
def _crashes_told(request: TurnRequest, *, run_id: uuid.UUID) -> Iterator[None]:
    try:
        yield
    except RootError:
        raise
    except Exception as error:
        _report(system_failures.crash(error), request=request, run_id=run_id)
        raise


def _report(failure: SystemFailure, *, request: TurnRequest, run_id: uuid.UUID) -> None:
    if not request.replay:
        system_failures.report(failure, channel=request.channel, trace_id=run_id.hex)


class _Turn:
    """The steps of one turn, in order: who, what was said before, what may be used, run, log, record."""

    def __init__(
        self, request: TurnRequest, *, message: str, run_id: uuid.UUID, usage: UsageCollector
    ) -> None:
        self.request = request
        self.message = message
        self.run_id = run_id
        self.usage = usage
        self.record = RunRecord(run_id=run_id, rerun=request.run_id is not None)
        self.person = self._resolve()
        self.exchange = self._exchange()
        self.surface = self._surface()
        self.record.tier = self.surface.asker.tier

    def take(self, on_event: Callable[[dict[str, Any]], None], listener: Listener) -> TurnOutcome:
        """Runs it, then writes down whatever came of it."""
        try:
            result = self._run(on_event, listener)
        except Exception as error:
            self._record(None, failure="crashed", error=type(error).__name__)
            raise
        with at_work():
            return self._concluded(result)

    def _run(self, on_event: Callable[[dict[str, Any]], None], listener: Listener) -> RunResult:
        with at_work():
            fence = Fence()
            opening = self._opening(fence)
            journal = self._begun()
        hooks = TurnHooks(listener=listener, record=self.record, journal=journal)
        return run_agent(
            run_id=self.run_id,
            messages=opening.messages,
            tools=self.surface.tools,
            hooks=hooks.hooks(),
            on_event=on_event,
            cancelled=hooks.is_over,
            watching=self.record.watching,
            frame=fence.around,
        )

    def _opening(self, fence: Fence) -> Opening:
        opening = opening_messages(
            self.surface,
            tenant=current_tenant(),
            message=self.message,
            history=self._history(),
            fence=fence,
        )
        self.record.layers = opening.layers
        return opening

    def _begun(self) -> Journal | None:
        """Logs the message before anything is done about it. A replay has no log and no journal."""
        if self.request.replay:
            return None
        conversations.record_inbound(self.exchange, text=self.message, metadata={"trace_id": self.run_id.hex})
        return Journal(self.run_id, rerun=self.record.rerun)

    def _concluded(self, result: RunResult) -> TurnOutcome:
        outcome = self._outcome(result)
        if not self.request.replay:
            self._log(outcome, failure=result.failure)
        self._record(result, failure=result.failure or "", error=str(result.error or ""))
        if failure := _told_to_admins(result):
            _report(failure, request=self.request, run_id=self.run_id)
        return outcome

    def _record(self, result: RunResult | None, *, failure: str, error: str) -> None:
        if not self.request.replay:
            self.record.write(
                self.exchange, result=result, usage=self.usage.totals(), failure=failure, error=error
            )

    def _outcome(self, result: RunResult) -> TurnOutcome:
        text = clean(result.text).strip()
        return TurnOutcome(
            response=text,
            success=result.success,
            tool_calls=tuple(
                ToolCallSummary(name=c.name, args=c.arguments, success=c.success, duration_ms=c.duration_ms)
                for c in result.calls
            ),
            # A sentence on why there is no answer rests on nothing.
            sources=()
            if result.failure is not None
            else sources_of(
                result.calls, answer=text, tools={tool.name: tool for tool in self.surface.tools}
            ),
            trace_id=self.run_id.hex,
            thread_key=self.exchange.thread_key,
            usage=self.usage.totals(),
            images=tuple(image for call in result.calls for image in call.images),
        )

    def _resolve(self) -> ResolvedPerson:
        caller = self.request.caller
        return identity.resolve(
            ref=caller.ref,
            email=caller.email,
            slack_user_id=caller.slack_user_id,
            display_name=caller.display_name,
            in_workspace=caller.in_workspace,
            remember=not self.request.replay,
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
        # A turn that is run again finds its own message in the log already.
        logged = conversations.thread_history(
            self.exchange.thread_key, member=self.person.ref, without=self.exchange.key
        )
        return conversations.as_messages(logged)

    def _exchange(self) -> Exchange:
        place = self.request.slack
        return Exchange(
            key=str(self.run_id),
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
                "trace_id": self.run_id.hex,
                "success": outcome.success,
                "failure": failure,
                "tools": [{"name": c.name, "success": c.success} for c in outcome.tool_calls],
                "sources": [
                    {"title": s.title, "url": s.url, "kind": s.kind, "ref": s.ref} for s in outcome.sources
                ],
            },
        )


def _told_to_admins(result: RunResult) -> SystemFailure | None:
    """What members cannot mend by asking differently. A composer's failure counts too: the model was gone."""
    if result.error is not None:
        return system_failures.model_failure(result.error)
    return system_failures.no_answer() if result.failure == "no_answer" else None


def _checked_message(message: str) -> str:
    text = clean(message).strip()
    if is_blank(text):
        raise BadInput("The message is empty.")
    if len(text) > MESSAGE_LIMIT:
        raise BadInput(f"The message is longer than {MESSAGE_LIMIT:,} characters.")
    return text
