"""Checking what was sent, so that everything behind may rely on its shape."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from scripts.offline_model.embedder import DIMENSIONS
from scripts.offline_model.tools import OfferedTool, read_tools

Json = dict[str, Any]
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
MAX_TEXTS = 2_048
MAX_CHARACTERS = 200_000


class BadRequest(Exception):
    """Answered with 400, in the words of the message."""


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    messages: list[Json]
    tools: list[OfferedTool]
    schema: Json | None  # present when the answer must be JSON


@dataclass(frozen=True, kw_only=True)
class EmbeddingsRequest:
    texts: list[str]
    as_base64: bool


def parse_body(raw: bytes) -> Json:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequest("The body is not JSON.") from None
    if not isinstance(body, dict):
        raise BadRequest("The body must be a JSON object.")
    return body


def parse_chat(body: Json) -> ChatRequest:
    if body.get("stream"):
        raise BadRequest("Streaming is not supported; leave out 'stream'.")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' must be a non-empty list.")
    for number, message in enumerate(messages):
        _check_message(message, number)
    tools = body.get("tools")
    return ChatRequest(
        messages=messages,
        tools=_tools(tools) if tools is not None and body.get("tool_choice") != "none" else [],
        schema=_schema(body.get("response_format")),
    )


def parse_embeddings(body: Json) -> EmbeddingsRequest:
    texts = body.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not 0 < len(texts) <= MAX_TEXTS:
        raise BadRequest(f"'input' must be a text or a list of 1 to {MAX_TEXTS} texts.")
    if not all(isinstance(text, str) and text.strip() and len(text) <= MAX_CHARACTERS for text in texts):
        raise BadRequest(f"Each input must be a text of 1 to {MAX_CHARACTERS} characters and not blank.")
    if body.get("dimensions", DIMENSIONS) != DIMENSIONS:
        raise BadRequest(f"Only {DIMENSIONS} dimensions are offered.")
    if body.get("encoding_format", "float") not in ("float", "base64"):
        raise BadRequest("'encoding_format' must be float or base64.")
    return EmbeddingsRequest(
        texts=[_valid(text) for text in texts], as_base64=body.get("encoding_format") == "base64"
    )


def _check_message(message: Any, number: int) -> None:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise BadRequest(f"messages[{number}] must be an object with a known role.")
    if not isinstance(message.get("content"), str | list | None):
        raise BadRequest(f"messages[{number}].content must be a text, a list of parts or null.")
    calls = message.get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(_is_call(call) for call in calls)):
        raise BadRequest(f"messages[{number}].tool_calls is malformed.")


def _is_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return (
        isinstance(function, dict)
        and isinstance(function.get("name"), str)
        and isinstance(call.get("id"), str)
    )


def _tools(raw: Any) -> list[OfferedTool]:
    if not isinstance(raw, list):
        raise BadRequest("'tools' must be a list.")
    for number, entry in enumerate(raw):
        function = entry.get("function") if isinstance(entry, dict) else None
        if (
            not isinstance(function, dict)
            or not isinstance(function.get("name"), str)
            or not function["name"]
        ):
            raise BadRequest(f"tools[{number}] must be a function with a name.")
    return read_tools(raw)


def _schema(response_format: Any) -> Json | None:
    if not isinstance(response_format, dict):
        if response_format is not None:
            raise BadRequest("'response_format' must be an object.")
        return None
    match response_format.get("type"):
        case "json_object":
            return {"type": "object"}
        case "json_schema":
            given = response_format.get("json_schema")
            schema = given.get("schema") if isinstance(given, dict) else None
            if not isinstance(schema, dict):
                raise BadRequest("'response_format.json_schema.schema' must be an object.")
            return schema
        case _:
            return None


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
