"""Asking a tenant's backends about one person, in order (contract §6, §7.3)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint import registry
from apps.integrations.rootint.people import ActsFor, BackendPerson, identify
from apps.tenancy.tiers import is_reserved

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What all backends together said. ``failed`` names those that could not be heard."""

    person: BackendPerson | None = None
    voucher: UUID | None = None
    acts_for: ActsFor | None = None
    asked: int = 0
    failed: frozenset[UUID] = frozenset()

    @property
    def vouched(self) -> bool:
        """Did a backend give a tier of its own?"""
        return self.person is not None and not is_reserved(self.person.tier)


def ask_backends(
    *, channel: Literal["slack", "email"], slack_user_id: str | None = None, email: str | None = None
) -> Answer:
    """The first backend that gives a tier of its own is believed; failing that, the first that knows a name."""
    failed: set[UUID] = set()
    known: Answer | None = None
    rows = _askable()
    for row in rows:
        try:
            said = identify(row, channel=channel, slack_user_id=slack_user_id, email=email)
        except HttpFailure as failure:
            logger.warning("integration %s gave no identity: %s", row.pk, failure.message)
            failed.add(row.pk)
            continue
        if said.person is None and said.acts_for is None:
            continue
        answer = Answer(
            person=said.person,
            voucher=row.pk,
            acts_for=said.acts_for,
            asked=len(rows),
            failed=frozenset(failed),
        )
        if answer.vouched:
            return answer
        known = known or answer
    return Answer(
        person=known.person if known else None,
        voucher=known.voucher if known else None,
        acts_for=known.acts_for if known else None,
        asked=len(rows),
        failed=frozenset(failed),
    )


def _askable() -> list[Integration]:
    rows = registry.enabled_rows()
    if any(row.status == Integration.Status.PENDING for row in rows):
        # A backend just registered becomes usable with its first good manifest.
        registry.active_integrations()
        rows = registry.enabled_rows()
    return [row for row in rows if row.status == Integration.Status.ACTIVE]
