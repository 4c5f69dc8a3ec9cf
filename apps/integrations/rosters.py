"""Pulling the rosters of a tenant's backends into its people (contract §6, §7.3, §13)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from apps.foundation import clock
from apps.foundation.errors import Unavailable
from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint.people import BackendPerson, roster
from apps.integrations.rootint.registry import active_rows
from apps.integrations.standing import TIER_INTEGRATION
from apps.tenancy.jobs import Job, Later
from apps.tenancy.models import Principal
from apps.tenancy.principals import PersonFacts
from apps.tenancy.rosters import Enrolled, enrol

DONE = "done"
logger = logging.getLogger(__name__)


def sweep(job: Job) -> None:
    """Every active backend once, in order. One that cannot be heard is asked again by the next attempt, alone."""
    done = set((job.checkpoint or {}).get(DONE, []))
    rows = active_rows()
    failed = 0
    for position, row in enumerate(rows):
        if str(row.pk) in done:
            continue
        if job.stopping:
            raise Later
        try:
            pull(row, before=rows[:position], pause=lambda: _pause(job))
        except HttpFailure as failure:
            logger.warning("roster of integration %s not fetched: %s", row.pk, failure.message)
            failed += 1
            continue
        done.add(str(row.pk))
        job.save_checkpoint({DONE: sorted(done)})
    if failed:
        raise Unavailable(f"{failed} of {len(rows)} rosters could not be fetched.")


def pull(
    row: Integration, *, before: list[Integration], pause: Callable[[], None] = lambda: None
) -> Enrolled | None:
    """One backend's roster, whole or not at all on the wire; None if it keeps none.

    Raises :class:`HttpFailure`. Those for whom a backend ``before`` this one vouches stay with it.
    """
    asked_at = clock.now()
    people = roster(row)
    if people is None:
        return None
    elsewhere = {str(other.pk) for other in before}

    def may_change(known: Principal) -> bool:
        # Whoever was looked at since the question has a newer answer than this one.
        looked_at = known.tier_resolved_at
        newer = looked_at is not None and looked_at > asked_at
        return not newer and known.traits.get(TIER_INTEGRATION) not in elsewhere

    enrolled = enrol(
        [_facts(person, voucher=row, asked_at=asked_at) for person in people],
        may_change=may_change,
        pause=pause,
    )
    logger.info("roster of integration %s: %s", row.pk, enrolled)
    return enrolled


def _pause(job: Job) -> None:
    if job.stopping:
        raise Later


def _facts(person: BackendPerson, *, voucher: Integration, asked_at: datetime) -> PersonFacts:
    return PersonFacts(
        ref=person.ref,
        tier=person.tier,
        display_name=person.display_name or None,
        is_admin=person.is_admin,
        traits={**person.traits, TIER_INTEGRATION: str(voucher.pk)},
        email=person.email,
        slack_user_id=person.slack_user_id,
        profile_context=person.profile_context,
        tier_resolved_at=asked_at,
    )
