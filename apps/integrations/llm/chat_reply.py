"""Reading a chat completion that may lie about its success (contract §3.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from apps.integrations.llm.exchange import hidden_failure
from apps.integrations.llm.failures import bad_response
from apps.integrations.llm.metering import Usage
from apps.integrations.llm.outgoing import sendable

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolCallWire:
    """A call as the model wrote it; the arguments are unchecked text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ChatReply:
    text: str | None
    tool_calls: tuple[ToolCallWire, ...]
    finish_reason: str
    reasoning_details: list[Any] | None
    model: str
    usage: Usage


def read_reply(answer: Json, *, model: str, usage: Usage) -> ChatReply:
    """The first choice, or :class:`LlmFailure` when there is none or it broke off with an error."""
    choice = _choice(answer)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise bad_response("it has no message")
    details = message.get("reasoning_details")
    return ChatReply(
        text=sendable(_text(message)),
        tool_calls=_tool_calls(message),
        finish_reason=_finish_reason(choice),
        reasoning_details=details if isinstance(details, list) and details else None,
        model=model,
        usage=usage,
    )


def _choice(answer: Json) -> Json:
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        raise bad_response("it has no choices")
    if first.get("error"):
        raise hidden_failure(first["error"])
    if first.get("finish_reason") == "error":
        raise bad_response("it broke off with an error")
    return first


def _finish_reason(choice: Json) -> str:
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) else ""


def _text(message: Json) -> str | None:
    """The content, whether sent as a text or in parts; a refusal is what the model said instead."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str) and content:
        return content
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal
    return content if isinstance(content, str) else None


def _tool_calls(message: Json) -> tuple[ToolCallWire, ...]:
    raw = message.get("tool_calls")
    calls = raw if isinstance(raw, list) else []
    return tuple(_tool_call(call) for call in calls if isinstance(call, dict))


def _tool_call(call: Json) -> ToolCallWire:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    call_id, name = call.get("id"), function.get("name")
    return ToolCallWire(
        id=sendable(call_id) if isinstance(call_id, str) else "",
        name=sendable(name) if isinstance(name, str) else "",
        arguments=sendable(_arguments(function.get("arguments"))),
    )


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
