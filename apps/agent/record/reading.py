"""Reading a turn back from what it left behind (contract §4.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, Sum

from apps.agent.models import AgentRun, AgentToolCall, ConversationLog, HumanIntervention, RunProduct
from apps.foundation.errors import NotFound
from apps.tenancy.context import tenant_context
from apps.tenancy.models import LlmTokenUsage, Tenant
from apps.tenancy.scoping import unscoped

Json = dict[str, Any]


def read_turn(trace_id: str) -> Json:
    """Everything recorded of a turn, by reference; a turn that is under way or broke off has no end yet.

    For operators: finds the turn whatever community it belongs to. Raises :class:`NotFound`.
    """
    run_id = _run_id(trace_id)
    tenant = Tenant.objects.get(pk=_tenant_of(run_id))
    with tenant_context(tenant):
        return {"trace_id": run_id.hex, "tenant": tenant.slug, **_run(run_id), **_left_behind(run_id)}


def _run_id(trace_id: str) -> UUID:
    try:
        return UUID(trace_id.strip())
    except ValueError:
        raise NotFound("That is no trace id: it has 32 hexadecimal digits.") from None


def _tenant_of(run_id: UUID) -> UUID:
    places = (
        unscoped(AgentRun).filter(run_id=run_id),
        unscoped(AgentToolCall).filter(run_id=run_id),
        unscoped(LlmTokenUsage).filter(trace_id=run_id.hex),
        unscoped(ConversationLog).filter(exchange_key=str(run_id)),
    )
    for rows in places:
        found: UUID | None = rows.values_list("tenant_id", flat=True).first()
        if found is not None:
            return found
    raise NotFound("No turn with this trace id is on record; records are kept for thirty days.")


def _run(run_id: UUID) -> Json:
    row = AgentRun.objects.filter(run_id=run_id).first()
    if row is None:
        return {"finished": False, "rounds": [], "recoveries": [], "usage": {}, "prompt_layers": []}
    return {
        "finished": True,
        "channel": row.channel,
        "source": row.source,
        "person": {"ref": row.member_id, "tier": row.tier},
        "thread_key": row.thread_key,
        "started_at": row.started_at.isoformat(),
        "duration_ms": round((row.finished_at - row.started_at).total_seconds() * 1000),
        "success": row.success,
        "failure": row.failure or None,
        "error": row.error or None,
        "rounds": _rounds(row.rounds),
        "recoveries": row.recoveries,
        "usage": row.usage,
        "prompt_layers": row.prompt_layers,
    }


def _rounds(attempts: Sequence[Json]) -> list[Json]:
    """Attempts at one model call belong together."""
    rounds: dict[int, Json] = {}
    for attempt in attempts:
        number = attempt["round"]
        entry = rounds.setdefault(number, {"round": number, "attempts": []})
        entry |= {"phase": attempt["phase"], "purpose": attempt["purpose"]}
        told = {name: item for name, item in attempt.items() if name not in ("round", "phase", "purpose")}
        entry["attempts"].append(told)
    return list(rounds.values())


def _left_behind(run_id: UUID) -> Json:
    return {
        "tools": [_call(row) for row in AgentToolCall.objects.filter(run_id=run_id).order_by("position")],
        "purposes": _purposes(run_id.hex),
        "products": [{"kind": row.kind, "ref": row.ref} for row in RunProduct.objects.filter(run_id=run_id)],
        "interventions": [
            {"id": str(row.pk), "category": row.category, "status": row.status, "title": row.title}
            for row in HumanIntervention.objects.filter(metadata__trace_id=run_id.hex)
        ],
        "log": _log(run_id),
    }


def _call(row: AgentToolCall) -> Json:
    return {
        "name": row.name,
        "round": row.round,
        "state": row.state,
        "outcome": row.outcome,
        "success": row.success,
        "error": row.error or None,
        "duration_ms": row.duration_ms,
        "mutates": row.mutates,
        "invocation_id": str(row.invocation_id) if row.invocation_id else None,
        "arguments": row.arguments,
        "flight": row.flight,
        "notes": row.notes,
    }


def _purposes(trace_id: str) -> list[Json]:
    rows = (
        LlmTokenUsage.objects.filter(trace_id=trace_id)
        .values("purpose", "model")
        .annotate(calls=Count("pk"), tokens=Sum("total_tokens"), cost=Sum("cost_usd"))
        .order_by("purpose", "model")
    )
    return [
        {
            "purpose": row["purpose"],
            "model": row["model"],
            "calls": row["calls"],
            "tokens": row["tokens"],
            "cost_usd": float(row["cost"]),
        }
        for row in rows
    ]


def _log(run_id: UUID) -> list[Json]:
    rows = ConversationLog.objects.filter(exchange_key=str(run_id)).order_by("message_at", "created_at")
    return [
        {
            "direction": row.direction,
            "channel": row.channel,
            "source": row.source,
            "status": row.status,
            "at": row.message_at.isoformat(),
            "size": len(row.message_text),
            "dedupe_key": row.dedupe_key,
        }
        for row in rows
    ]
