"""Failures that members cannot mend are told to the admins, once an hour for each cause (contract §2.4, §4.2)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection, transaction

from apps.agent.interventions.opening import open_intervention
from apps.agent.kernel.types import ChatFailure
from apps.agent.models import HumanIntervention, InterventionCategory
from apps.foundation import clock
from apps.tenancy.context import current_tenant_id

ONCE_IN = timedelta(hours=1)
_log = logging.getLogger(__name__)

_MODEL_TITLES = {
    "unauthorized": "The language model does not accept our key",
    "no_api_key": "There is no usable key for the language model",
    "payment_required": "The credit for the language model is used up",
    "forbidden": "The language model refuses our account",
    "rate_limited": "The language model turns requests away: too many at once",
    "timeout": "The language model does not answer in time",
}
_MODEL_TITLE = "The language model gives no usable answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFailure:
    """What went wrong. Failures with one ``cause`` are one matter."""

    cause: str
    title: str
    explanation: str


def model_failure(error: ChatFailure) -> SystemFailure:
    """Every attempt at the model failed, or the one whose failure is final."""
    return SystemFailure(
        cause=f"llm:{error.code}",
        title=_MODEL_TITLES.get(error.code, _MODEL_TITLE),
        explanation=f"{error.message} Members were told that it failed and to try again.",
    )


def no_answer() -> SystemFailure:
    """The model answered, but never with anything that could be sent."""
    return SystemFailure(
        cause="turn:no_answer",
        title="A turn ended without an answer",
        explanation="The model was asked again and still wrote nothing that could be sent.",
    )


def crash(error: BaseException) -> SystemFailure:
    """Something nobody foresaw."""
    kind = type(error).__name__
    return SystemFailure(
        cause=f"turn:{kind}",
        title="A turn broke off",
        explanation=f"An unexpected error ({kind}) ended it. The server's log has the details.",
    )


def report(failure: SystemFailure, *, channel: str, trace_id: str) -> None:
    """Opens an intervention, or counts the failure to the one of the last hour. Never raises."""
    try:
        with transaction.atomic():
            _take_turns(failure.cause)
            if not _count(failure.cause, trace_id=trace_id):
                _open(failure, channel=channel, trace_id=trace_id)
    except Exception:  # noqa: BLE001 - telling of a failure must not add one
        _log.exception("a system failure could not be reported: %s trace=%s", failure.cause, trace_id)


def _take_turns(cause: str) -> None:
    """Until the commit nobody else looks for an intervention of this cause: two at once would both find none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
            [f"system_failure:{current_tenant_id()}:{cause}"],
        )


def _count(cause: str, *, trace_id: str) -> bool:
    """False when there is no intervention of the last hour to count it to."""
    recent = HumanIntervention.objects.filter(
        category=InterventionCategory.SYSTEM_FAILURE,
        metadata__cause=cause,
        created_at__gt=clock.now() - ONCE_IN,
    )
    # Locked: the jobs that tell of it note their outcome in the same object.
    row = recent.select_for_update().order_by("-created_at").first()
    if row is None:
        return False
    row.metadata = row.metadata | {
        "occurrences": int(row.metadata.get("occurrences", 1)) + 1,
        "last_trace_id": trace_id,
        "last_at": clock.now().isoformat(),
    }
    row.save(update_fields=["metadata", "updated_at"])
    return True


def _open(failure: SystemFailure, *, channel: str, trace_id: str) -> None:
    open_intervention(
        InterventionCategory.SYSTEM_FAILURE,
        channel=channel,
        title=failure.title,
        details=failure.explanation + (f"\nTrace: {trace_id}" if trace_id else ""),
        metadata={"cause": failure.cause, "trace_id": trace_id, "occurrences": 1},
    )
