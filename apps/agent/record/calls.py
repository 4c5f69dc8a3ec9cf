"""The rows of a run's tool calls (contract §4.7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.kernel.types import ExecutedCall
from apps.agent.models import AgentToolCall
from apps.agent.record.redaction import redacted, redacted_text

# A replayed call tells nothing new about the action; its row stays what the first run made of it.
_REPLAYED = frozenset({"answered", "done_otherwise"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was learned of a call on the way: signs of an injection in its result, the log of a search."""

    notes: list[dict[str, Any]] = field(default_factory=list)
    flight: dict[str, Any] | None = None


def call_row(call: ExecutedCall, *, run_id: UUID, position: int, finding: Finding | None) -> AgentToolCall:
    """The row of a call, as it stands after the run."""
    error = " — ".join(text for text in (call.result.get("error"), call.error_detail) if text)
    known = finding or Finding()
    return AgentToolCall(
        run_id=run_id,
        invocation_id=call.invocation_id,
        call_id=call.id,
        name=call.name,
        round=call.round,
        position=position,
        mutates=call.mutates,
        outcome=call.outcome,
        success=call.success,
        error=redacted_text(error),
        duration_ms=call.duration_ms,
        arguments=redacted(call.arguments),
        flight=known.flight or ({"empty": True} if tool_call_signals_empty(call.result) else None),
        notes=known.notes,
    )


def journalled(rows: Iterable[AgentToolCall]) -> None:
    """Completes the rows the journal wrote before the calls, and adds those of calls that never came to run."""
    lasting = [row for row in rows if row.outcome not in _REPLAYED]
    if not lasting:
        return
    AgentToolCall.objects.bulk_create(
        lasting,
        update_conflicts=True,
        unique_fields=["tenant", "invocation_id"],
        update_fields=["position", "outcome", "duration_ms", "error", "flight", "notes"],
    )
