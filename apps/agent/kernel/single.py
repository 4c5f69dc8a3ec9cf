"""One call on its own, without a model: the same threads, deadlines, hooks and shapes as in a run (contract §4.3)."""

from typing import Any
from uuid import UUID

from apps.agent.kernel.batch import run_batch
from apps.agent.kernel.events import Events
from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.plain import plain
from apps.agent.kernel.toolbox import Toolbox
from apps.agent.kernel.types import (
    ChatReply,
    ChatRequest,
    ExecutedCall,
    KernelTool,
    Limits,
    PlannedCall,
    RunContext,
)


def problem_with(tool: KernelTool, arguments: dict[str, Any]) -> str | None:
    """What is wrong with the arguments by the tool's schema, if anything."""
    return Toolbox([tool]).problem(tool, plain(arguments))


def run_one(
    tool: KernelTool,
    arguments: dict[str, Any],
    *,
    invocation_id: UUID,
    hooks: Hooks,
    tool_scope: Any,
    limits: Limits | None = None,
) -> ExecutedCall:
    """Runs the tool once and says what came of it, whatever the tool does. The arguments have been checked."""
    context = RunContext(
        run_id=invocation_id,
        messages=(),
        tools=(tool,),
        chat=_nobody,
        hooks=hooks,
        limits=limits or Limits(),
        tool_scope=tool_scope,
    )
    call = PlannedCall(
        id="call",
        name=tool.name,
        arguments=plain(arguments),
        round=0,
        tool=tool,
        invocation_id=invocation_id,
    )
    (executed,) = run_batch([call], earlier=(), context=context, events=Events(context.on_event))
    return executed


def _nobody(_request: ChatRequest) -> ChatReply:
    raise AssertionError("a call on its own asks no model")
