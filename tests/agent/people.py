"""People of a community for tests below the turn; call inside a tenant context."""

from __future__ import annotations

from typing import Any

from apps.integrations.person import ResolvedPerson, resolved
from apps.tenancy.principals import PersonFacts, upsert


def known(
    ref: str = "p-ada", *, tier: str = "member", channel: str = "slack", **facts: Any
) -> ResolvedPerson:
    """Somebody with a record."""
    return resolved(upsert(PersonFacts(ref=ref, tier=tier, **facts)), channel=channel)


def stranger(tier: str = "unresolved") -> ResolvedPerson:
    """Somebody without one."""
    return ResolvedPerson(principal=None, ref="anonymous", display_name="", tier=tier, access_level=tier)
