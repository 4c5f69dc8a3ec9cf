"""The person a turn is for (contract §5.2, §6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from apps.integrations.rootint.people import ActsFor
from apps.tenancy import tiers
from apps.tenancy.models import Principal

ANONYMOUS: Final = "anonymous"
UNRESOLVED_SLACK_USER: Final = "unresolved_slack_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPerson:
    """Who is speaking and what they may see. ``principal`` is None for people without a record."""

    principal: Principal | None
    ref: str
    display_name: str
    tier: str
    access_level: str
    is_admin: bool = False
    email: str | None = None
    slack_user_id: str | None = None
    profile_context: str = ""
    traits: Mapping[str, Any] = field(default_factory=dict)
    acts_for: ActsFor | None = None


def resolved(row: Principal, *, channel: str, acts_for: ActsFor | None = None) -> ResolvedPerson:
    """A stored person as the channel meets them."""
    return ResolvedPerson(
        principal=row,
        ref=row.ref,
        display_name=row.display_name or row.email or row.slack_user_id or row.ref,
        tier=row.tier,
        access_level=_access_level(row.tier, channel),
        is_admin=row.is_admin and not tiers.is_reserved(row.tier),
        email=row.email,
        slack_user_id=row.slack_user_id,
        profile_context=row.profile_context,
        traits=row.traits,
        acts_for=acts_for,
    )


def _access_level(tier: str, channel: str) -> str:
    return UNRESOLVED_SLACK_USER if tier == tiers.UNRESOLVED and channel == "slack" else tier
