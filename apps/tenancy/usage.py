"""Writing the metering tables (contract §2.1, §3.1)."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from apps.foundation.text import clean
from apps.foundation.trace import current_trace_id
from apps.tenancy.models import ApiRequestUsage, IntegrationToolCall, LlmTokenUsage

ERROR_LIMIT = 500


def record_llm_usage(
    *,
    purpose: str,
    model: str,
    prompt_tokens: int,
    completion_tokens: int,
    total_tokens: int,
    cost_usd: float,
) -> None:
    """One row for one call to a model, under the current tenant and trace."""
    LlmTokenUsage.objects.create(
        purpose=purpose,
        model=clean(model),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        total_tokens=total_tokens,
        cost_usd=Decimal(str(cost_usd)),
        trace_id=current_trace_id() or "",
    )


def record_integration_call(
    *,
    integration_name: str,
    tool_name: str,
    invocation_id: UUID,
    duration_ms: int,
    success: bool,
    error: str = "",
    attempts: int = 1,
    trace_id: str | None = None,
) -> None:
    """One row for one invocation of a backend's tool, under the current tenant and trace."""
    IntegrationToolCall.objects.create(
        integration_name=integration_name,
        tool_name=tool_name,
        invocation_id=invocation_id,
        duration_ms=duration_ms,
        success=success,
        error=clean(error)[:ERROR_LIMIT],
        attempts=attempts,
        trace_id=trace_id or current_trace_id() or "",
    )


def record_api_request(
    *,
    surface: str,
    api_key_id: UUID,
    success: bool,
    trace_id: str,
    llm_calls: int = 0,
    prompt_tokens: int = 0,
    completion_tokens: int = 0,
    total_tokens: int = 0,
    cost_usd: float = 0.0,
) -> None:
    """One row for one turn or tool run that a program asked for, whatever came of it, under the current tenant."""
    ApiRequestUsage.objects.create(
        surface=surface,
        api_key_id=api_key_id,
        success=success,
        trace_id=trace_id,
        llm_calls=llm_calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        total_tokens=total_tokens,
        cost_usd=Decimal(str(cost_usd)),
    )
