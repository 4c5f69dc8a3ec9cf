"""Matters as a community's programs open and list them (contract §2.4, §12.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from apps.agent.interventions.notifying import SINKS_NOTED
from apps.agent.interventions.opening import open_intervention
from apps.agent.models import HumanIntervention, InterventionCategory
from apps.foundation.errors import BadInput
from apps.foundation.text import clean, one_line
from apps.foundation.wire_json import BadJson, clean_json, write_json
from apps.tenancy import principals
from apps.tenancy.models import Principal


def open_for(
    person: Mapping[str, str] | None,
    *,
    category: InterventionCategory,
    channel: str,
    title: str,
    details: str,
    metadata: Mapping[str, Any],
) -> Any:
    """Opens a matter and gives it as :func:`matters` would.

    ``person`` says whom it is about by ``ref``, ``email`` or ``slack_user_id``; :class:`NotFound` if nobody is known
    by that name.
    """
    principal = principals.chosen(**person) if person else None
    opened = open_intervention(
        category,
        channel=channel,
        title=one_line(title) or str(category.label),
        details=clean(details),
        principal=principal,
        # How telling goes is noted under this name by the platform alone.
        metadata={name: value for name, value in _cleaned(metadata).items() if name != SINKS_NOTED},
    )
    return matters().get(pk=opened.pk)


def matters(*, category: str | None = None, status: str | None = None) -> QuerySet[Any]:
    """Matters of a category and status, each with its ``person_ref``."""
    rows = HumanIntervention.objects.all()
    if category is not None:
        rows = rows.filter(category=category)
    if status is not None:
        rows = rows.filter(status=status)
    return _named(rows)


def _named(rows: QuerySet[HumanIntervention]) -> QuerySet[Any]:
    # Not a join: the key is held by id alone, and the subquery asks for this tenant's people.
    person = Principal.objects.filter(pk=OuterRef("principal_id"))
    return rows.annotate(person_ref=Subquery(person.values("ref")[:1]))


def _cleaned(metadata: Mapping[str, Any]) -> dict[str, Any]:
    try:
        cleaned: dict[str, Any] = clean_json(dict(metadata))
        write_json(cleaned)
    except BadJson as error:
        raise BadInput(f"metadata: {error}.") from None
    return cleaned
