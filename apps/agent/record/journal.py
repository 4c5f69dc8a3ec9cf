"""The journal of calls that change something: intent before, result after, never twice (contract §4.7).

A call's ``invocation_id`` is the same in every run of one turn. Whoever writes its row may carry the action out;
everybody after that gets what the row says: the result, or that nobody knows.
"""

from __future__ import annotations

import json
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from apps.agent.kernel.hooks import AnswerWith, Decision, DoneOtherwise, Proceed
from apps.agent.kernel.truncate import serialize
from apps.agent.kernel.types import PlannedCall, ToolResult
from apps.agent.models import AgentToolCall, CallState
from apps.agent.record.redaction import digest, redacted, redacted_text
from apps.foundation import clock

OUTCOME_UNKNOWN = (
    "Outcome unknown: this action was begun earlier for this same request, and whether it took effect was never "
    "learned. It was not run again. Do not repeat it; tell the person to check."
)
GONE = "This was carried out earlier for this same request; the details of its result are no longer kept."
DONE_OTHERWISE = (
    "Not done again: earlier in this turn it was done with other arguments. This call changed nothing; tell the "
    "person what was done instead. The arguments and the result of that follow."
)
FAILED_OTHERWISE = (
    "Not run: earlier in this turn it was tried with other arguments, and failed. Those arguments and that "
    "result follow."
)
_KEPT_IN_A_RESULT = ("success", "data", "error", "outcome_unknown")


class Journal:
    """The journal of one run; its methods are called from the threads of the calls."""

    def __init__(self, run_id: UUID, *, rerun: bool = False) -> None:
        self._run_id = run_id
        self._rerun = rerun
        self._announced: dict[UUID, UUID] = {}
        self._served: set[UUID] = set()

    def decide(self, call: PlannedCall) -> Decision:
        """Announces the action, or answers with what is known of it. A database that is down refuses it."""
        with transaction.atomic():
            self._take_turns(call.name)
            known = self._take_other(call) if self._rerun else None
            if known is None and self._announce(call):
                return Proceed()
            row = known or self._rows().get(invocation_id=call.invocation_id)
        return _decision(row, call)

    def _take_turns(self, name: str) -> None:
        """Until the commit no other run decides about this tool: two at once would both find nothing."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"journal:{self._run_id}:{name}"]
            )

    def complete(self, call: PlannedCall, result: ToolResult) -> None:
        """Writes what came of an action this run announced."""
        row_id = self._announced.get(call.invocation_id)
        if row_id is None:
            return
        unknown = result.get("outcome_unknown") is True
        kept = {name: result[name] for name in _KEPT_IN_A_RESULT if name in result}
        self._rows().filter(pk=row_id).update(
            state=CallState.UNKNOWN if unknown else CallState.DONE,
            success=result.get("success") is True,
            error=redacted_text(str(result.get("error") or "")),
            result=None if unknown else json.loads(serialize(kept)),
            finished_at=clock.now(),
        )

    def _announce(self, call: PlannedCall) -> bool:
        row = AgentToolCall(
            run_id=self._run_id,
            invocation_id=call.invocation_id,
            call_id=call.id,
            name=call.name,
            round=call.round,
            mutates=True,
            state=CallState.INTENT,
            arguments=redacted(call.arguments),
            arguments_digest=digest(call.arguments),
        )
        # A call that never came to run has a row without an intent: it says nothing of the action.
        self._rows().filter(invocation_id=call.invocation_id, state=CallState.RECORDED).delete()
        AgentToolCall.objects.bulk_create([row], ignore_conflicts=True)
        # Of two runs at once only one finds its own row: a conflict leaves the other's in place.
        first: bool = self._rows().filter(pk=row.pk).exists()
        if first:
            self._announced[call.invocation_id] = row.pk
        return first

    def _take_other(self, call: PlannedCall) -> AgentToolCall | None:
        """Another run's row for the very same action, in whatever order the model asks; each serves once.

        A run may still ask twice for the same thing of its own.
        """
        rows = self._rows().filter(name=call.name, arguments_digest=digest(call.arguments))
        taken = {*self._announced.values(), *self._served}
        same = [row for row in rows.exclude(state=CallState.RECORDED) if row.pk not in taken]
        if not same:
            return None
        found = min(same, key=lambda row: row.invocation_id != call.invocation_id)
        self._served.add(found.pk)
        return found

    def _rows(self) -> QuerySet[AgentToolCall]:
        rows: QuerySet[AgentToolCall] = AgentToolCall.objects.filter(run_id=self._run_id)
        return rows


def _decision(row: AgentToolCall, call: PlannedCall) -> Decision:
    same = row.arguments_digest == digest(call.arguments)
    if row.state in (CallState.INTENT, CallState.UNKNOWN):
        doubt: ToolResult = {"success": False, "error": OUTCOME_UNKNOWN, "outcome_unknown": True}
        return AnswerWith(doubt if same else {**doubt, "earlier_arguments": row.arguments})
    result: ToolResult = row.result or {"success": row.success is True, "note": GONE}
    if same:
        return AnswerWith(result)
    earlier = {"earlier_arguments": row.arguments, "earlier_result": result}
    if row.success is True:
        return DoneOtherwise({"success": False, "error": DONE_OTHERWISE, **earlier})
    return AnswerWith({"success": False, "error": FAILED_OTHERWISE, **earlier})
