"""One chat completion on its way out and back: traced, paid for, read (contract §3.1, §3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from openai import OpenAI

from apps.foundation.environment import env
from apps.integrations.llm import exchange, metering, tracing
from apps.integrations.llm.chat_reply import ChatReply, read_reply
from apps.integrations.llm.outgoing import sendable
from apps.tenancy.context import current_tenant_id

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The reply as Root uses it, and the whole answer as the provider sent it."""

    reply: ChatReply
    answer: Json = field(repr=False)


def request(
    body: Json, *, purpose: str, span: str, timeout: float, provider: OpenAI | None = None
) -> Completion:
    """One HTTP request, no retries. Raises :class:`LlmFailure`; needs a tenant to charge."""
    current_tenant_id()
    with tracing.span(span, kind="llm", given=_traced(body)) as notes:
        answer = exchange.post("chat", body, purpose=purpose, timeout=timeout, provider=provider)
        usage = metering.read_usage(answer.get("usage"))
        named = answer.get("model")
        used = named if isinstance(named, str) and named else str(body["model"])
        # Recorded before the answer is judged: a broken one was paid for as well.
        metering.record(usage, purpose=purpose, model=used, llm_calls=1)
        notes.spent(usage, model=used)
        reply = read_reply(answer, model=used, usage=usage)
        notes.result({"text": reply.text, "calls": [call.name for call in reply.tool_calls]})
    return Completion(reply=reply, answer=answer)


def router_body(
    messages: list[Json],
    *,
    model: str,
    tools: list[Json] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    reasoning_effort: str | None = None,
    response_format: Json | None = None,
    more: Json | None = None,
) -> Json:
    """The request as OpenRouter wants it; what is left out everywhere is the provider's choice."""
    environment = env()
    options = {
        "tools": sendable(tools) if tools else None,
        "temperature": environment.llm_temperature if temperature is None else temperature,
        "max_tokens": environment.llm_max_tokens if max_tokens is None else max_tokens,
        "response_format": response_format,
    }
    return {
        "model": model,
        "messages": sendable(messages),
        **{name: value for name, value in options.items() if value is not None},
        "extra_body": _router_options(reasoning_effort) | (more or {}),
    }


def _router_options(reasoning_effort: str | None) -> Json:
    """Fields OpenRouter adds to the standard: cost in the answer, effort, choice of provider."""
    options: Json = {"usage": {"include": True}}
    effort = (reasoning_effort or "").strip().lower()
    if effort and effort != "none":
        options["reasoning"] = {"effort": effort}
    if preferences := env().openrouter_provider_preferences:
        options["provider"] = preferences
    return options


def _traced(body: Json) -> Json:
    return {name: value for name, value in body.items() if name in {"messages", "temperature", "max_tokens"}}
