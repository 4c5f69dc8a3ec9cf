"""One HTTP request to the model provider and its JSON answer; every failure typed (contract §3.1)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from typing import Any, Literal, cast

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAI, OpenAIError

from apps.foundation.database import released
from apps.foundation.environment import env
from apps.integrations.llm import client, failures
from apps.integrations.llm.failures import LlmFailure

Json = dict[str, Any]
Route = Literal["chat", "embeddings"]

_MAX_BYTES = 64 * 1024 * 1024  # a hundred vectors as decimal text are about 7 MB
_UNFIT_FOR_HEADER = re.compile(r"[^\x20-\x7e]+")


def post(route: Route, body: Json, *, purpose: str, timeout: float, provider: OpenAI | None = None) -> Json:
    """Sends one request, without a database connection held, and returns the JSON object of a 200.

    Raises :class:`LlmFailure` for everything else, a failure hidden inside a 200 included.
    """
    chosen = provider or client.client()
    with released():
        raw = _exchange(chosen, route, body, purpose=purpose, timeout=timeout)
    return _json_object(raw)


def _exchange(provider: OpenAI, route: Route, body: Json, *, purpose: str, timeout: float) -> bytes:
    resource = provider.chat.completions if route == "chat" else provider.embeddings
    create = cast(Any, resource.with_streaming_response).create
    deadline = time.monotonic() + timeout
    given = _as_it_stands(body) if route == "chat" else body
    try:
        with create(**given, extra_headers=_headers(purpose), timeout=client.timeout(timeout)) as response:
            return _read(response.iter_bytes(), deadline=deadline)
    except (APITimeoutError, httpx2.TimeoutException):
        raise failures.timed_out() from None
    except (APIConnectionError, httpx2.RequestError):
        raise failures.unreachable() from None
    except APIStatusError as error:
        raise failures.from_status(error.status_code) from None
    except OpenAIError:
        raise failures.bad_response("the client library refused it", status=None) from None
    except (TypeError, ValueError):  # NaN, lone surrogates, objects: json says no before anything is sent
        raise failures.unsendable() from None


def _as_it_stands(body: Json) -> Json:
    """The SDK walks through every message and tool for fields to rename, and there are none.

    What is handed over as an extra it passes on untouched, which saves a third of what a turn costs.
    """
    kept = {name: value for name, value in body.items() if name not in ("model", "extra_body")}
    return {"model": body["model"], "messages": [], "extra_body": kept | body.get("extra_body", {})}


def _read(chunks: Iterable[bytes], *, deadline: float) -> bytes:
    """The whole body, bounded in size and in time: a server that trickles bytes meets the same deadline."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > _MAX_BYTES:
            raise failures.bad_response("it is too large")
        if time.monotonic() > deadline:
            raise failures.timed_out()
        parts.append(chunk)
    return b"".join(parts)


def _json_object(raw: bytes) -> Json:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        raise failures.bad_response("it is not JSON") from None
    if not isinstance(answer, dict):
        raise failures.bad_response("it is not an object")
    if answer.get("error"):
        raise hidden_failure(answer["error"])
    return answer


def hidden_failure(error: Any) -> LlmFailure:
    """A failure reported inside a 200, judged by the status it names."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    if type(code) is int and 400 <= code <= 599:
        return failures.from_status(code)
    return failures.bad_response("it carries an error")


def _headers(purpose: str) -> dict[str, str]:
    environment = env()
    wanted = {
        "X-Root-Purpose": purpose,
        "HTTP-Referer": environment.platform_base_url,
        "X-Title": environment.openrouter_title,
    }
    cleaned = {name: _UNFIT_FOR_HEADER.sub(" ", value).strip() for name, value in wanted.items() if value}
    return {name: value for name, value in cleaned.items() if value}
