"""Pydantic AI on the workload: an `Agent` with typed tools on the `FunctionModel` its documentation names."""

from __future__ import annotations

import functools
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from scripts.bench import workload

_HISTORY: list[ModelMessage] = [
    ModelRequest(parts=[SystemPromptPart(workload.SYSTEM)]),
    *[
        ModelRequest(parts=[UserPromptPart(text)])
        if role == "user"
        else ModelResponse(parts=[TextPart(text)])
        for role, text in workload.HISTORY
    ],
]
_HISTORY_REPLIES = sum(role == "assistant" for role, _ in workload.HISTORY)


async def _reply(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    done = sum(isinstance(message, ModelResponse) for message in messages) - _HISTORY_REPLIES
    if done >= len(workload.ROUNDS):
        return ModelResponse(parts=[TextPart(workload.ANSWER)])
    calls = [
        ToolCallPart(tool_name=name, args=arguments, tool_call_id=i)
        for i, name, arguments in workload.ROUNDS[done]
    ]
    return ModelResponse(parts=[TextPart(workload.PLAN), *calls])


def _awaitable(function: Any) -> Any:
    @functools.wraps(function)
    async def call(**arguments: Any) -> Any:
        return function(**arguments)

    return call


def _agent(tools: Any) -> Agent[None, str]:
    agent = Agent(FunctionModel(_reply))
    for tool in tools:
        agent.tool_plain(tool)
    return agent


_SYNC = _agent(workload.TOOLS)
_ASYNC = _agent([_awaitable(function) for function in workload.TOOLS])


async def one_turn() -> None:
    _check(await _SYNC.run(workload.QUESTION, message_history=_HISTORY))


async def one_turn_async() -> None:
    _check(await _ASYNC.run(workload.QUESTION, message_history=_HISTORY))


def _check(result: Any) -> None:
    parts = [part for message in result.all_messages() for part in message.parts]
    assert result.output == workload.ANSWER
    assert sum(isinstance(part, ToolReturnPart) for part in parts) == workload.CALLS_IN_A_TURN
