"""Telling a community's own backends through their escalations webhook (contract §7.3, §15.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from apps.agent.interventions.notifying import Notifier, Target
from apps.agent.models import HumanIntervention
from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint.escalations import Escalation, send_escalation
from apps.integrations.rootint.registry import active_rows
from apps.tenancy.context import current_tenant
from apps.tenancy.jobs import GiveUp

NAME: Final = "integration"


def targets(_row: HumanIntervention) -> Iterator[Target]:
    """Every active backend, unless the community turned this off; several are told apart by their names."""
    if not current_tenant().config.notifications.integration:
        return
    rows = active_rows()
    for row in rows:
        label = NAME if len(rows) == 1 else f"{NAME}:{row.name}"
        yield Target(label=label, payload={"integration_id": str(row.pk)})


def deliver(row: HumanIntervention, target: dict[str, Any]) -> None:
    """One signed call; raises when it has to be tried again, or :class:`GiveUp` when that cannot help."""
    backend = Integration.objects.filter(pk=UUID(str(target["integration_id"]))).first()
    if backend is None or backend.status == Integration.Status.DISABLED:
        raise GiveUp("the integration is not connected any more")
    try:
        send_escalation(backend, escalation_of(row))
    except HttpFailure as failure:
        if failure.kind == "refused":
            raise GiveUp(failure.message) from None
        raise


def escalation_of(row: HumanIntervention) -> Escalation:
    """The row in the protocol's words. Kinds without fields of their own tell their title and details instead."""
    known = {name: value for name, value in row.metadata.items() if isinstance(value, str)}
    person = row.principal
    return Escalation(
        type=row.category,
        intervention_id=row.pk,
        principal_ref=known.get("principal_ref") or (person.ref if person else ""),
        user_name=known.get("user_name") or (str(person) if person else ""),
        channel=row.channel,
        tier=known.get("tier") or (person.tier if person else ""),
        escalation_reason=known.get("escalation_reason") or row.title,
        user_request_summary=known.get("user_request_summary") or row.details or row.title,
        what_was_checked=known.get("what_was_checked", ""),
    )


INTEGRATION: Final = Notifier(name=NAME, targets=targets, deliver=deliver)
