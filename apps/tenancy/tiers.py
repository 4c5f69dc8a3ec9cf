"""Tier names the platform reserves; every other is the tenant's vocabulary (contract §5.2, §9)."""

from __future__ import annotations

from typing import Final

UNRESOLVED: Final = "unresolved"
PUBLIC: Final = "public"
PUBLIC_EMAIL: Final = "public_email"
MEMBER: Final = "member"
MENTOR: Final = "mentor"
RESERVED: Final = frozenset({UNRESOLVED, PUBLIC, PUBLIC_EMAIL})

_BY_ACCESS_LEVEL = {
    "slack": MEMBER,
    "email": MEMBER,
    "api": MEMBER,
    "member": MEMBER,
    "email_mentor": MENTOR,
    "mentor": MENTOR,
    "unresolved_slack_user": UNRESOLVED,
    "unresolved": UNRESOLVED,
    "public_email": PUBLIC,
    "public": PUBLIC,
}


def manifest_tier_for(access_level: str | None) -> str:
    """The tier a manifest speaks of for a channel's access level; None is unresolved, the unknown passes."""
    if access_level is None:
        return UNRESOLVED
    return _BY_ACCESS_LEVEL.get(access_level, access_level)


def is_reserved(tier: str) -> bool:
    """May only the platform give this tier?"""
    return tier in RESERVED
