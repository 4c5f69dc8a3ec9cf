"""Joins the kernel to this platform: the model client as its chat port, tools as its tools, hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection

from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.loop import run
from apps.agent.kernel.types import (
    ChatFailure,
    ChatReply,
    ChatRequest,
    KernelTool,
    RunContext,
    RunResult,
    ToolCall,
    ToolCallContext,
)
from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.foundation.environment import env
from apps.integrations.llm import chat
from apps.integrations.llm.failures import LlmFailure

DEFAULT_MAX_TOKENS = 16_000


def run_agent(
    *,
    run_id: UUID,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[Tool],
    hooks: Hooks,
    on_event: Callable[[dict[str, Any]], None],
    cancelled: Callable[[], bool],
) -> RunResult:
    """Runs the two phases for one turn and returns what came of them; nothing is delivered or logged here."""
    return run(
        RunContext(
            run_id=run_id,
            messages=messages,
            tools=[_kernel_tool(tool) for tool in tools],
            chat=_ask_model,
            hooks=hooks,
            on_event=on_event,
            cancelled=cancelled,
            tool_scope=_connection_returned,
        )
    )


def _ask_model(request: ChatRequest) -> ChatReply:
    settings = env()
    try:
        reply = chat.complete(
            request.messages,
            purpose=request.purpose,
            role="planner" if request.phase == "planning" else "default",
            model=request.model,
            tools=request.tools,
            temperature=settings.llm_temperature or 0,
            max_tokens=settings.llm_max_tokens or DEFAULT_MAX_TOKENS,
            reasoning_effort=settings.llm_agent_reasoning_effort,
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


def _kernel_tool(tool: Tool) -> KernelTool:
    def execute(arguments: dict[str, Any], call: ToolCallContext) -> ToolResult:
        return tool.execute(
            arguments, ToolUse(invocation_id=call.invocation_id, report_progress=call.report_progress)
        )

    return KernelTool(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        mutates=tool.mutates,
        label=tool.label,
        execute=execute,
        timeout_seconds=tool.timeout_seconds,
    )


@contextmanager
def _connection_returned() -> Iterator[None]:
    # Each tool runs in a thread of its own; what it took from the pool goes back when it is done.
    try:
        yield
    finally:
        connection.close()
