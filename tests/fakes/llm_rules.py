"""What a real provider refuses in a conversation; the scripted model refuses the same with a 400."""

import json
from typing import Any

_LONE_SURROGATES = range(0xD800, 0xE000)


def fault_of(body: Any) -> str | None:
    """The first reason to refuse a chat request, or None when it is acceptable."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
        return "messages must be a non-empty list"
    if any(ord(character) in _LONE_SURROGATES for character in json.dumps(body, ensure_ascii=False)):
        return "the request contains a lone surrogate"
    return _transcript_fault(body["messages"]) or _tools_fault(body.get("tools"))


def _transcript_fault(messages: list[Any]) -> str | None:
    waiting: list[str] = []
    for message in messages:
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"tool message for an id that is not open: {message.get('tool_call_id')!r}"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"tool_call_ids without a tool message: {waiting}"
        waiting = [call.get("id") for call in message.get("tool_calls") or []]
        if fault := _calls_fault(message.get("tool_calls") or [], waiting):
            return fault
    return f"tool_call_ids without a tool message: {waiting}" if waiting else None


def _calls_fault(calls: list[Any], ids: list[str]) -> str | None:
    if len(set(ids)) != len(ids) or not all(ids):
        return f"tool call ids must be present and unique: {ids}"
    for call in calls:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except (KeyError, TypeError, ValueError):
            return "tool call arguments are not JSON"
        if not isinstance(arguments, dict):
            return "tool call arguments are not an object"
    return None


def _tools_fault(tools: Any) -> str | None:
    if tools is None:
        return None
    if not isinstance(tools, list) or not tools:
        return "tools must be left out or a non-empty list"
    names = [tool.get("function", {}).get("name") for tool in tools]
    return f"tool names must be unique: {names}" if len(set(names)) != len(names) else None
