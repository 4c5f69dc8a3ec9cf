"""One chat completion: the request as the provider wants it, the answer as Root uses it (contract §3.1)."""

from __future__ import annotations

from typing import Any

from apps.foundation.environment import env
from apps.integrations.llm import exchange, metering
from apps.integrations.llm.chat_reply import ChatReply, ToolCallWire, read_reply
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.outgoing import sendable
from apps.integrations.llm.roles import Role, model_for
from apps.tenancy.context import current_tenant_id

__all__ = ["ChatReply", "LlmFailure", "ToolCallWire", "complete"]

Json = dict[str, Any]
TIMEOUT_SECONDS = 120.0


def complete(  # noqa: PLR0913 - one argument for each field callers decide
    messages: list[Json],
    *,
    purpose: str,
    role: Role = "default",
    model: str | None = None,
    tools: list[Json] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    reasoning_effort: str | None = None,
    response_format: Json | None = None,
    timeout: float = TIMEOUT_SECONDS,
) -> ChatReply:
    """Asks once: one HTTP request, no retries. Raises :class:`LlmFailure`; needs a tenant to charge."""
    current_tenant_id()
    chosen = model or model_for(role)
    body = {"model": chosen, "messages": sendable(messages)} | _options(
        tools=tools, temperature=temperature, max_tokens=max_tokens, response_format=response_format
    )
    body["extra_body"] = _router_options(reasoning_effort)
    answer = exchange.post("chat", body, purpose=purpose, timeout=timeout)
    usage = metering.read_usage(answer.get("usage"))
    named = answer.get("model")
    used = named if isinstance(named, str) and named else chosen
    # Recorded before the answer is judged: a broken one was paid for as well.
    metering.record(usage, purpose=purpose, model=used, llm_calls=1)
    return read_reply(answer, model=used, usage=usage)


def _options(
    *,
    tools: list[Json] | None,
    temperature: float | None,
    max_tokens: int | None,
    response_format: Json | None,
) -> Json:
    """The standard fields that are set; whatever is left out is the provider's choice."""
    environment = env()
    options = {
        "tools": sendable(tools) if tools else None,
        "temperature": environment.llm_temperature if temperature is None else temperature,
        "max_tokens": environment.llm_max_tokens if max_tokens is None else max_tokens,
        "response_format": response_format,
    }
    return {name: value for name, value in options.items() if value is not None}


def _router_options(reasoning_effort: str | None) -> Json:
    """Fields OpenRouter adds to the standard: cost in the answer, effort, choice of provider."""
    options: Json = {"usage": {"include": True}}
    effort = (reasoning_effort or "").strip().lower()
    if effort and effort != "none":
        options["reasoning"] = {"effort": effort}
    if preferences := env().openrouter_provider_preferences:
        options["provider"] = preferences
    return options
