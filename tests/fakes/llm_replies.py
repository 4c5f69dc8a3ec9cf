"""What a scripted model can answer, in the shapes OpenRouter sends."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]
PROVIDER = "Scripted"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One HTTP answer: a JSON payload or raw bytes, perhaps late, perhaps never (`dropped`)."""

    status: int = 200
    payload: Json | None = None
    raw: bytes | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False

    def body(self, *, model: str) -> bytes:
        if self.raw is not None:
            return self.raw
        payload = dict(self.payload or {})
        if "choices" in payload:
            payload = {"model": model, **payload}
        return json.dumps(payload).encode()


def says(
    text: str | None,
    *,
    finish_reason: str = "stop",
    reasoning_details: list[Any] | None = None,
    tokens: tuple[int, int] = (100, 20),
    cost: float = 0.0005,
    delay: float = 0.0,
) -> Reply:
    message = {"role": "assistant", "content": text}
    return _completion(message, finish_reason, reasoning_details, tokens, cost, delay)


def calls(
    *wanted: tuple[str, Json | str] | tuple[str, Json | str, str],
    text: str | None = None,
    finish_reason: str = "tool_calls",
    reasoning_details: list[Any] | None = None,
    tokens: tuple[int, int] = (100, 20),
    cost: float = 0.0005,
    delay: float = 0.0,
) -> Reply:
    """Asks for tools: `("name", {…})`, arguments as a str are sent as they stand, a third item is the id."""
    message = {"role": "assistant", "content": text, "tool_calls": [_call(entry) for entry in wanted]}
    return _completion(message, finish_reason, reasoning_details, tokens, cost, delay)


def says_json(value: Any, **options: Any) -> Reply:
    """A structured answer: the value as JSON text."""
    return says(json.dumps(value), **options)


def fails(
    status: int, message: str = "the provider failed", *, headers: Mapping[str, str] | None = None
) -> Reply:
    error = {"message": message, "code": status}
    return Reply(status=status, payload={"error": error}, headers=headers or {})


def hidden_error(code: int = 502, message: str = "overloaded") -> Reply:
    """HTTP 200 that carries a failure, as routers send it when a provider breaks midway."""
    return Reply(payload={"error": {"code": code, "message": message}, "choices": None})


def no_choices() -> Reply:
    return Reply(payload={"id": _generation_id(), "provider": PROVIDER, "choices": []})


def html(status: int = 200) -> Reply:
    page = b"<!doctype html><title>Gateway</title><h1>Just a moment</h1>"
    return Reply(status=status, raw=page, content_type="text/html; charset=utf-8")


def raw(body: bytes, *, status: int = 200, content_type: str = "application/json") -> Reply:
    return Reply(status=status, raw=body, content_type=content_type)


def drops() -> Reply:
    """Closes the connection without a word."""
    return Reply(dropped=True)


def without_usage(reply: Reply) -> Reply:
    payload = {key: value for key, value in (reply.payload or {}).items() if key != "usage"}
    return replace(reply, payload=payload)


def _call(entry: tuple[str, Json | str] | tuple[str, Json | str, str]) -> Json:
    name, arguments = entry[0], entry[1]
    call_id = entry[2] if len(entry) == 3 else f"call_{uuid.uuid4().hex[:20]}"
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def _completion(
    message: Json,
    finish_reason: str,
    reasoning_details: list[Any] | None,
    tokens: tuple[int, int],
    cost: float,
    delay: float,
) -> Reply:
    if reasoning_details is not None:
        message = {**message, "reasoning_details": reasoning_details}
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "native_finish_reason": finish_reason,
        "message": message,
    }
    payload = {
        "id": _generation_id(),
        "provider": PROVIDER,
        "object": "chat.completion",
        "created": 1_750_000_000,
        "choices": [choice],
        "usage": _usage(tokens, cost),
    }
    return Reply(payload=payload, delay=delay)


def _usage(tokens: tuple[int, int], cost: float) -> Json:
    prompt, completion = tokens
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, "cost": cost}


def _generation_id() -> str:
    return f"gen-{uuid.uuid4().hex}"
