"""Opening an intervention: the row first, then whoever wants to know (contract §2.4, §15.2)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from apps.agent.interventions import sinks
from apps.agent.models import HumanIntervention, InterventionCategory
from apps.foundation.text import clean, one_line
from apps.tenancy.models import Principal

DETAILS_LIMIT = 10_000


def open_intervention(
    category: InterventionCategory,
    *,
    channel: str,
    title: str,
    details: str,
    principal: Principal | None = None,
    metadata: dict[str, Any],
    key: UUID | None = None,
) -> HumanIntervention:
    """Writes the row and tells the sinks, together or not at all.

    ``key`` is what the matter is known by: opened again, at whatever moment, it is the row that stands already.
    """
    with transaction.atomic():
        row, is_new = HumanIntervention.objects.get_or_create(
            pk=key or uuid4(),
            defaults={
                "category": category,
                "channel": channel,
                "title": one_line(title),
                "details": clean(details)[:DETAILS_LIMIT],
                "principal": principal,
                "metadata": metadata,
            },
        )
        if is_new:
            sinks.tell(row)
    opened: HumanIntervention = row
    return opened
