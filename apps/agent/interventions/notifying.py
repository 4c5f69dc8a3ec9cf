"""One job for each who is to be told of an intervention, so that one that fails repeats no other (contract §15.2).

Apps above append a :class:`Notifier` to ``NOTIFIERS``. What became of each stands in the row's
``metadata.sinks`` under the target's label: ``{"status": "queued" | "delivered" | "failed", "at", "error"?}``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID

from django.db import transaction

from apps.agent.models import HumanIntervention
from apps.foundation import clock
from apps.tenancy import jobs

NOTIFICATIONS: Final = "notifications"
SINKS_NOTED: Final = "sinks"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One receiver: a label that is unique within the notifier, and what its job needs to find it again."""

    label: str
    payload: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier:
    """A way of telling. ``targets`` runs inside the transaction of the row and calls nobody; ``deliver`` calls."""

    name: str
    targets: Callable[[HumanIntervention], Iterable[Target]]
    deliver: Callable[[HumanIntervention, dict[str, Any]], None]


NOTIFIERS: list[Notifier] = []


def ask(row: HumanIntervention) -> None:
    """Writes one job a target. A notifier that fails keeps no other from being asked."""
    for notifier in NOTIFIERS:
        try:
            with transaction.atomic():
                for target in notifier.targets(row):
                    _enqueue(row, notifier, target)
        except Exception:  # noqa: BLE001 - a notifier is somebody else's code
            _log.exception("notifier %s could not be asked about intervention %s", notifier.name, row.pk)


def deliver(job: jobs.Job) -> None:
    """Runs one job: tells one target once, and notes it. What was delivered already is left alone."""
    notifier = next((known for known in NOTIFIERS if known.name == job.payload.get("sink")), None)
    row: HumanIntervention | None = HumanIntervention.objects.filter(pk=_intervention(job)).first()
    if notifier is None or row is None:
        raise jobs.GiveUp("there is nobody left to tell, or nothing to tell of")
    if _noted(row, job).get("status") == "delivered":
        return
    notifier.deliver(row, dict(job.payload.get("target") or {}))
    with job.fenced():
        _note(job, "delivered")


def gave_up(job: jobs.Job, error: str) -> None:
    """Notes that a target was not told, in the transaction that closes the job."""
    _note(job, "failed", error=error)


def _enqueue(row: HumanIntervention, notifier: Notifier, target: Target) -> None:
    jobs.enqueue(
        NOTIFICATIONS,
        key=f"{row.pk}:{target.label}",
        payload={
            "sink": notifier.name,
            "label": target.label,
            "intervention_id": str(row.pk),
            "target": target.payload,
        },
    )
    _write(row, target.label, {"status": "queued"})


def _note(job: jobs.Job, status: Literal["delivered", "failed"], *, error: str = "") -> None:
    # Locked: jobs of other targets write into the same object.
    row = HumanIntervention.objects.select_for_update().filter(pk=_intervention(job)).first()
    if row is not None:
        _write(row, str(job.payload.get("label")), {"status": status} | ({"error": error} if error else {}))


def _write(row: HumanIntervention, label: str, outcome: dict[str, str]) -> None:
    noted = {**_all_noted(row), label: outcome | {"at": clock.now().isoformat()}}
    row.metadata = {**row.metadata, SINKS_NOTED: noted}
    row.save(update_fields=["metadata"])


def _noted(row: HumanIntervention, job: jobs.Job) -> dict[str, Any]:
    entry = _all_noted(row).get(str(job.payload.get("label")))
    return entry if isinstance(entry, dict) else {}


def _all_noted(row: HumanIntervention) -> dict[str, Any]:
    noted = row.metadata.get(SINKS_NOTED)
    return noted if isinstance(noted, dict) else {}


def _intervention(job: jobs.Job) -> UUID | None:
    try:
        return UUID(str(job.payload.get("intervention_id")))
    except ValueError:
        return None
