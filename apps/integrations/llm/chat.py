"""One chat completion: the request as the provider wants it, the answer as Root uses it (contract §3.1)."""

from __future__ import annotations

from typing import Any

from apps.integrations.llm import completion
from apps.integrations.llm.chat_reply import ChatReply, ToolCallWire
from apps.integrations.llm.failures import LlmFailure
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
    span: str | None = None,
) -> ChatReply:
    """Asks once: one HTTP request, no retries. ``span`` names it in traces (the purpose otherwise).

    Raises :class:`LlmFailure`; needs a tenant to charge.
    """
    current_tenant_id()
    body = completion.router_body(
        messages,
        model=model or model_for(role),
        tools=tools,
        temperature=temperature,
        max_tokens=max_tokens,
        reasoning_effort=reasoning_effort,
        response_format=response_format,
    )
    return completion.request(body, purpose=purpose, span=span or purpose, timeout=timeout).reply
