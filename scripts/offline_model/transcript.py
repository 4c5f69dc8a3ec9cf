"""What matters in a conversation: the question asked last, and what the tools have brought since."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
_LONGEST_QUESTION = 4_000
_TAG = re.compile(r"</?[a-z_]+(?:\s[^<>]*)?>", re.IGNORECASE)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    name: str
    arguments: Json
    content: Any  # parsed JSON, or the text itself when there is none


@dataclass(frozen=True, kw_only=True)
class Turn:
    question: str
    before: str  # what the person asked the time before, "" at the start
    results: tuple[ToolResult, ...]


def read_turn(messages: list[Json]) -> Turn:
    asked = [index for index, message in enumerate(messages) if message["role"] == "user"]
    last = asked[-1] if asked else -1
    return Turn(
        question=_spoken(messages[last]) if asked else "",
        before=_spoken(messages[asked[-2]]) if len(asked) > 1 else "",
        results=tuple(_results(messages[last + 1 :])),
    )


def text_of(message: Json) -> str:
    """The content as text, whether it was sent whole or in parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _spoken(message: Json) -> str:
    return _TAG.sub(" ", text_of(message)).strip()[-_LONGEST_QUESTION:]


def _results(messages: list[Json]) -> list[ToolResult]:
    calls: dict[str, Json] = {}
    found = []
    for message in messages:
        calls |= {call["id"]: call["function"] for call in message.get("tool_calls") or []}
        if message["role"] == "tool":
            call = calls.get(str(message.get("tool_call_id")), {})
            name = str(call.get("name") or message.get("name") or "tool")
            arguments = read_json(str(call.get("arguments") or ""))
            found.append(
                ToolResult(
                    name=name,
                    arguments=arguments if isinstance(arguments, dict) else {},
                    content=read_json(text_of(message)),
                )
            )
    return found


def read_json(text: str) -> Any:
    """The JSON inside a text that may be fenced by other lines; the text itself when there is none."""
    for match in re.finditer(r"[{\[]", text[:2_000]):
        try:
            return _DECODER.raw_decode(text, match.start())[0]
        except (ValueError, RecursionError):
            continue
    return text
