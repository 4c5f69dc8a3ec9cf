"""Weighing what is stored, what the backends say and what the channel vouches for (contract §6, §9).

A backend's own tier always wins. A backend that cannot be heard takes nothing away that it gave before, and
nothing away that the channel gives. What policy gave is taken back as soon as policy says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from apps.foundation import clock
from apps.integrations.inquiry import Answer
from apps.integrations.rootint.people import PLATFORM_TRAITS, BackendPerson
from apps.tenancy.access_policy import DASHBOARD_USER, Trust, email_trust, slack_trust
from apps.tenancy.dashboard_users import is_dashboard_user
from apps.tenancy.models import Principal
from apps.tenancy.settings_schema import AccessPolicy
from apps.tenancy.tiers import UNRESOLVED, is_reserved

TIER_TTL: Final = timedelta(minutes=5)
UNRESOLVED_TTL: Final = timedelta(seconds=30)
TIER_SOURCE: Final = "tier_source"
TIER_CHANNEL: Final = "tier_channel"
TIER_INTEGRATION: Final = "tier_integration"
TIER_ADDRESS: Final = "tier_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is to be stored about a person now; ``unchanged`` keeps all but the time of the next look."""

    tier: str
    resolved_at: datetime
    is_admin: bool = False
    traits: Mapping[str, Any] = field(default_factory=dict)
    person: BackendPerson | None = None
    unchanged: bool = False


def is_fresh(row: Principal, trust: Trust | None) -> bool:
    """May the stored tier be used without asking again?"""
    if row.tier_resolved_at is None:
        return False
    age = clock.now() - row.tier_resolved_at
    lifetime = UNRESOLVED_TTL if is_reserved(row.tier) else TIER_TTL
    if not timedelta(0) <= age < lifetime:
        return False
    if is_reserved(row.tier):
        return trust is None
    source = row.traits.get(TIER_SOURCE)
    return source is None or (trust is not None and (trust.tier, trust.source) == (row.tier, source))


def settle(
    row: Principal | None,
    answer: Answer,
    trust: Trust | None,
    *,
    channel: Literal["slack", "email"],
    address: str | None = None,
) -> Standing:
    """The decision. ``address`` is what trust in a user of the dashboard rests on."""
    now = clock.now()
    person = answer.person
    if person is not None and answer.vouched:
        traits = {**person.traits, TIER_INTEGRATION: str(answer.voucher)}
        return Standing(
            tier=person.tier, resolved_at=now, is_admin=person.is_admin, traits=traits, person=person
        )
    # After a failure the next look is soon, whatever the tier.
    looked_at = now - TIER_TTL + UNRESOLVED_TTL if answer.failed else now
    if row is not None and _unheard(row, answer):
        return Standing(
            tier=row.tier, resolved_at=looked_at, is_admin=row.is_admin, traits=row.traits, unchanged=True
        )
    traits = dict(person.traits) if person is not None else bare_traits(row)
    if trust is None:
        return Standing(tier=UNRESOLVED, resolved_at=now, traits=traits, person=person)
    traits |= {TIER_SOURCE: trust.source, TIER_CHANNEL: channel}
    if trust.source == DASHBOARD_USER and address is not None:
        traits[TIER_ADDRESS] = address
    return Standing(tier=trust.tier, resolved_at=looked_at, traits=traits, person=person)


def rests_on(row: Principal, channel: Literal["slack", "email"], *, proven: bool = True) -> bool:
    """Does the stored tier come from a backend or from this channel, so that this channel may take it back?

    An address that somebody merely states takes nothing from a user of the dashboard, whom it could give nothing.
    """
    if is_reserved(row.tier) or (not proven and row.traits.get(TIER_SOURCE) == DASHBOARD_USER):
        return False
    resting: bool = row.traits.get(TIER_CHANNEL, channel) == channel
    return resting


def still_granted(row: Principal, policy: AccessPolicy) -> bool:
    """Would the policy of today still give what is stored? What a backend gave is not the policy's to judge."""
    return not _is_policys(row) or granted(row, policy) is not None


def granted(row: Principal, policy: AccessPolicy) -> Trust | None:
    """The trust by which today's policy gives what is stored; None where it does not, or where another gave it."""
    if not _is_policys(row):
        return None
    source = row.traits[TIER_SOURCE]
    dashboard = source == DASHBOARD_USER and is_dashboard_user(
        row.traits.get(TIER_ADDRESS) or row.email or ""
    )
    if row.traits.get(TIER_CHANNEL) == "email":
        trust = email_trust(policy, address=row.email or "", dashboard_user=dashboard)
    else:
        trust = slack_trust(policy, in_workspace=True, dashboard_user=dashboard)
    holds = trust is not None and (trust.tier, trust.source) == (row.tier, source)
    return trust if holds else None


def _is_policys(row: Principal) -> bool:
    return row.traits.get(TIER_SOURCE) is not None and not is_reserved(row.tier)


def bare_traits(row: Principal | None) -> dict[str, Any]:
    """The stored traits without the grounds of the tier."""
    stored = row.traits if row is not None else {}
    return {name: value for name, value in stored.items() if name not in PLATFORM_TRAITS}


def _unheard(row: Principal, answer: Answer) -> bool:
    """Was the stored tier given by somebody who has not been heard now?"""
    if is_reserved(row.tier) or TIER_SOURCE in row.traits or answer.person is not None:
        return False
    voucher = row.traits.get(TIER_INTEGRATION)
    if voucher is None:
        return bool(answer.failed) or answer.asked == 0
    return voucher in {str(failed) for failed in answer.failed}
