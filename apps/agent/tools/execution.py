"""One tool, run for a person without a turn around it (contract §12.2, §12.3)."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from apps.agent.callers import require_known
from apps.agent.kernel.hooks import Decision, Hooks, Proceed
from apps.agent.kernel.single import problem_with, run_one
from apps.agent.kernel.types import ExecutedCall, PlannedCall, ToolResult
from apps.agent.record.calls import call_row, journalled
from apps.agent.record.journal import Journal
from apps.agent.runner import kernel_tool
from apps.agent.tools.declaration import Channel, Tool
from apps.agent.tools.surface import Surface, surface_for
from apps.agent.turn_values import Caller
from apps.foundation.database import at_work, give_back
from apps.foundation.errors import BadInput, NotFound
from apps.foundation.trace import time_ordered_id, tracing
from apps.integrations import identity
from apps.integrations.llm.metering import UsageTotals, collecting
from apps.integrations.person import ANONYMOUS, ResolvedPerson
from apps.integrations.rootint.registry import active_integrations
from apps.tenancy.tiers import MEMBER

NOT_OFFERED = "There is no such tool for this person here."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """What came of it. ``result`` is ``{success, data?, error?, outcome_unknown?}``, in plain JSON values."""

    name: str
    result: dict[str, Any] = field(repr=False)
    images: tuple[Any, ...] = field(repr=False)
    usage: UsageTotals
    trace_id: str
    duration_ms: int

    @property
    def success(self) -> bool:
        return self.result.get("success") is True


def person_surface(caller: Caller, *, channel: Channel = "api") -> Surface:
    """What the person is offered on a channel, as in a turn; raises :class:`NotFound` for an unknown reference."""
    require_known(caller)
    person = identity.resolve(
        ref=caller.ref,
        email=caller.email,
        slack_user_id=caller.slack_user_id,
        display_name=caller.display_name,
        in_workspace=caller.in_workspace,
        channel=channel,
    )
    return surface_for(person, channel=channel, message="", integrations=active_integrations())


def members_surface(*, channel: Channel = "api") -> Surface:
    """What a member is offered as such, for a program that speaks for nobody: no more than every member may see."""
    anybody = ResolvedPerson(principal=None, ref=ANONYMOUS, display_name="", tier=MEMBER, access_level=MEMBER)
    return surface_for(anybody, channel=channel, message="", integrations=active_integrations())


def execute_tool(
    name: str,
    args: dict[str, Any],
    *,
    caller: Caller,
    channel: Channel = "api",
    invocation_id: UUID | None = None,
) -> ToolRun:
    """Runs a tool of the caller's own surface. Blocks, holding no connection while the tool waits.

    Under an ``invocation_id`` that was used before an action is not taken again: its result, or that nobody knows
    it, is told. Raises :class:`NotFound` for what the person is not offered, :class:`BadInput` for wrong arguments.
    """
    run_id = invocation_id or time_ordered_id()
    with tracing(run_id.hex), collecting() as usage:
        with at_work():
            tool = _offered(name, caller, channel=channel)
        call = _run(tool, args, run_id=run_id)
        return ToolRun(
            name=tool.name,
            result=call.result,
            images=call.images,
            usage=usage.totals(),
            trace_id=run_id.hex,
            duration_ms=call.duration_ms,
        )


def _offered(name: str, caller: Caller, *, channel: Channel) -> Tool:
    surface = person_surface(caller, channel=channel)
    found = next((tool for tool in surface.tools if tool.name == name), None)
    if found is None:
        raise NotFound(NOT_OFFERED)
    return found


def _run(tool: Tool, args: dict[str, Any], *, run_id: UUID) -> ExecutedCall:
    kernels = kernel_tool(tool)
    if problem := problem_with(kernels, args):
        raise BadInput(f"args: {problem}.")
    hooks = _Journalled(run_id)
    call = run_one(kernels, args, invocation_id=run_id, hooks=hooks.hooks(), tool_scope=at_work)
    if tool.mutates:
        with at_work():
            journalled([call_row(call, run_id=run_id, position=0, finding=None)])
    if call.error_detail:
        _log.info("tool %s failed: trace=%s", tool.name, run_id.hex)
    return call


class _Journalled:
    """Intent before an action, result after it. The result goes to a program, so it is not fenced as for a model."""

    def __init__(self, run_id: UUID) -> None:
        self._journal = Journal(run_id)

    def hooks(self) -> Hooks:
        return Hooks(before_tool=self._before, after_tool=self._after)

    def _before(self, call: PlannedCall) -> Decision:
        return self._journal.decide(call) if call.tool.mutates else Proceed()

    def _after(self, call: PlannedCall, result: ToolResult) -> ToolResult:
        result.pop("flight", None)
        if call.tool.mutates:
            try:
                self._journal.complete(call, result)
            except Exception:  # noqa: BLE001 - the action has happened, whatever became of its row
                # The intent stays without a result: asked again, nobody knows, and nothing is done twice.
                _log.exception("the result of an action could not be journalled: %s", call.invocation_id)
            finally:
                give_back()
        return result
