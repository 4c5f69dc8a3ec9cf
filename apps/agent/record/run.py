"""The record of one run: gathered in memory while it goes, written in one go when it is over (contract §4.7)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.agent.conversations import Exchange
from apps.agent.kernel.types import ChatFailure, ChatPort, ChatReply, ChatRequest, ExecutedCall, RunResult
from apps.agent.models import AgentRun, AgentToolCall, HumanIntervention, RunProduct
from apps.agent.prompts.layers import Layer
from apps.agent.record.calls import Finding, call_row, journalled
from apps.agent.record.redaction import redacted_text
from apps.foundation import clock
from apps.foundation.text import one_line
from apps.integrations.llm.metering import UsageTotals

_log = logging.getLogger(__name__)
_RUN_FIELDS = [
    "principal", "member_id", "tier", "channel", "source", "thread_key", "started_at", "finished_at",
    "success", "failure", "error", "rounds", "recoveries", "usage", "prompt_layers",
]  # fmt: skip
Product = tuple[str, str]


@dataclass(slots=True, kw_only=True)
class RunRecord:
    """What is known of a run so far. ``rerun``: this turn was begun before, and may have left rows."""

    run_id: UUID
    rerun: bool = False
    tier: str = ""
    layers: Sequence[Layer] = ()
    findings: dict[str, Finding] = field(default_factory=dict)
    attempts: list[dict[str, Any]] = field(default_factory=list)
    started_at: datetime = field(default_factory=clock.now)

    def watching(self, port: ChatPort) -> ChatPort:
        """The port, with each attempt noted: in which round, for what purpose, how it ended, how long it took."""

        def ask(request: ChatRequest) -> ChatReply:
            began = time.monotonic()
            noted: dict[str, Any] = {
                "round": request.round,
                "phase": request.phase,
                "purpose": request.purpose,
            }
            self.attempts.append(noted)
            try:
                reply = port(request)
            except Exception as error:
                noted["error"] = error.code if isinstance(error, ChatFailure) else type(error).__name__
                raise
            finally:
                noted["ms"] = round((time.monotonic() - began) * 1000)
            # A provider's words, which a database may not take as they are.
            noted |= {
                "model": one_line(reply.model),
                "finish": one_line(reply.finish_reason),
                "calls": len(reply.tool_calls),
            }
            return reply

        return ask

    def write(
        self, exchange: Exchange, *, result: RunResult | None, usage: UsageTotals, failure: str, error: str
    ) -> None:
        """Writes all of it. Whatever goes wrong here is logged: the answer counts more than its record."""
        try:
            with transaction.atomic():
                self._write(exchange, result=result, usage=usage, failure=failure, error=error)
        except Exception:  # noqa: BLE001 - the answer counts more than its record
            _log.exception("the record of a turn could not be written: trace=%s", self.run_id.hex)

    def _write(
        self, exchange: Exchange, *, result: RunResult | None, usage: UsageTotals, failure: str, error: str
    ) -> None:
        run = AgentRun(
            run_id=self.run_id,
            principal=exchange.principal,
            member_id=exchange.member_id,
            tier=self.tier,
            channel=exchange.channel,
            source=exchange.source,
            thread_key=exchange.thread_key,
            started_at=self.started_at,
            finished_at=clock.now(),
            success=result is not None and result.success,
            failure=failure,
            error=redacted_text(error),
            rounds=self.attempts,
            recoveries=list(result.recoveries) if result else [],
            usage={"llm_calls": usage.llm_calls, "tokens": usage.tokens, "cost_usd": usage.cost_usd},
            prompt_layers=[
                {"name": layer.name, "origin": layer.origin, "size": len(layer.text)} for layer in self.layers
            ],
        )
        AgentRun.objects.bulk_create(
            [run], update_conflicts=True, unique_fields=["tenant", "run_id"], update_fields=_RUN_FIELDS
        )
        if result is not None:
            self._write_calls(result.calls)
            self._write_products(_products(result, exchange))

    def _write_calls(self, calls: Sequence[ExecutedCall]) -> None:
        if self.rerun:
            AgentToolCall.objects.filter(run_id=self.run_id, mutates=False).delete()
        rows = [
            call_row(call, run_id=self.run_id, position=position, finding=self.findings.get(call.id))
            for position, call in enumerate(calls)
        ]
        plain = [row for row in rows if not row.mutates]
        AgentToolCall.objects.bulk_create(plain, ignore_conflicts=True)
        journalled(row for row in rows if row.mutates)

    def _write_products(self, products: Iterable[Product]) -> None:
        rows = [RunProduct(run_id=self.run_id, kind=kind, ref=ref) for kind, ref in products]
        RunProduct.objects.bulk_create(rows, ignore_conflicts=True)


def _products(result: RunResult, exchange: Exchange) -> Iterable[Product]:
    """The answer as its row in the log, and what was handed to people."""
    yield "answer", f"{exchange.key}:out"
    named = {made for call in result.calls if (made := _intervention_named(call)) is not None}
    # A backend may say anything; what it did not open here was not handed to anybody here.
    for row in HumanIntervention.objects.filter(pk__in=named) if named else ():
        yield "intervention", str(row.pk)


def _intervention_named(call: ExecutedCall) -> UUID | None:
    data = call.result.get("data")
    made = data.get("intervention_id") if call.success and isinstance(data, dict) else None
    try:
        return UUID(made) if isinstance(made, str) else None
    except ValueError:
        return None
