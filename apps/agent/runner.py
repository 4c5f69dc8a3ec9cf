"""Joins the kernel to this platform: the model client as its chat port, tools as its tools, hooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from apps.agent.fencing import disarmed_text
from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.loop import run
from apps.agent.kernel.plain import said
from apps.agent.kernel.types import (
    ChatFailure,
    ChatPort,
    ChatReply,
    ChatRequest,
    KernelTool,
    Purposes,
    RunContext,
    RunResult,
    ToolCall,
    ToolCallContext,
)
from apps.agent.prompts.platform import platform_wording
from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.foundation.database import at_work
from apps.foundation.environment import env
from apps.integrations.llm import chat, tracing
from apps.integrations.llm.failures import LlmFailure
from apps.tenancy.context import current_tenant

DEFAULT_MAX_TOKENS = 16_000
_PURPOSES = Purposes()


def run_agent(
    *,
    run_id: UUID,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[Tool],
    hooks: Hooks,
    on_event: Callable[[dict[str, Any]], None],
    cancelled: Callable[[], bool],
    watching: Callable[[ChatPort], ChatPort] = lambda port: port,
    frame: Callable[[str], str] = str,
) -> RunResult:
    """Runs the two phases for one turn and returns what came of them; nothing is delivered or logged here.

    ``watching`` wraps the way to the model, ``frame`` surrounds each tool result the model reads.
    """
    context = RunContext(
        run_id=run_id,
        messages=messages,
        tools=[kernel_tool(tool) for tool in tools],
        chat=watching(_ask_model),
        hooks=hooks,
        phases=platform_wording().phases,
        on_event=on_event,
        cancelled=cancelled,
        purposes=_PURPOSES,
        tool_scope=at_work,
        frame=frame,
    )
    asked = messages[-1] if messages else None
    community = current_tenant().slug
    with tracing.agent_trace("agent_run", trace_id=run_id.hex, given=asked, community=community) as notes:
        result = run(context)
        notes.result({"text": result.text, "success": result.success}, error=result.failure)
        return result


def _ask_model(request: ChatRequest) -> ChatReply:
    settings = env()
    try:
        # Its usage is written afterwards, and the tools that run next can take minutes: nothing is held on to.
        with at_work():
            reply = chat.complete(
                request.messages,
                purpose=request.purpose,
                role=request.role,
                model=request.model,
                tools=request.tools,
                temperature=_temperature(request),
                max_tokens=settings.llm_max_tokens or DEFAULT_MAX_TOKENS,
                reasoning_effort=settings.llm_agent_reasoning_effort,
                span=_span_name(request),
            )
    except LlmFailure as failure:
        raise ChatFailure(failure.code, failure.message, retryable=failure.retryable) from failure
    return ChatReply(
        text=reply.text,
        tool_calls=tuple(
            ToolCall(id=call.id, name=call.name, arguments=call.arguments) for call in reply.tool_calls
        ),
        finish_reason=reply.finish_reason,
        reasoning_details=reply.reasoning_details,
        model=reply.model,
    )


def _span_name(request: ChatRequest) -> str:
    """Rounds by their place; the composers of a recovery (contract §4.4) by what they are booked under."""
    if request.purpose == _PURPOSES.planning:
        return f"planning_round_{request.round}"
    return "answer_phase" if request.purpose == _PURPOSES.answer else request.purpose


def _temperature(request: ChatRequest) -> float:
    return (env().llm_temperature or 0) if request.temperature is None else request.temperature


def _failure_in(result: object) -> str | None:
    """A tool may return anything; the kernel brings that to one shape only afterwards."""
    return None if isinstance(result, dict) and result.get("success") is True else "failed"


def kernel_tool(tool: Tool) -> KernelTool:
    """The tool as the kernel runs it, each use a span of the trace."""

    def execute(arguments: dict[str, Any], call: ToolCallContext) -> ToolResult:
        with tracing.span(f"tool:{tool.name}", kind="tool", given=arguments) as notes:
            use = ToolUse(
                invocation_id=call.invocation_id,
                report_progress=lambda message: call.report_progress(disarmed_text(said(message))),
            )
            result = tool.execute(arguments, use)
            notes.result(result, error=_failure_in(result))
            return result

    return KernelTool(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        mutates=tool.mutates,
        label=tool.label,
        execute=execute,
        timeout_seconds=tool.timeout_seconds,
    )
