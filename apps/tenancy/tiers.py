"""Tier names the platform reserves; every other is the tenant's vocabulary (contract §5.2, §9)."""

from __future__ import annotations

import unicodedata
from typing import Final

from apps.foundation.errors import BadInput
from apps.foundation.text import clean, without_unseen

UNRESOLVED: Final = "unresolved"
PUBLIC: Final = "public"
PUBLIC_EMAIL: Final = "public_email"
MEMBER: Final = "member"
MENTOR: Final = "mentor"
RESERVED: Final = frozenset({UNRESOLVED, PUBLIC, PUBLIC_EMAIL})
# How a manifest says "administrators"; nobody's tier, so nobody is given it.
ADMINISTRATORS: Final = "__admin__"
MAX_LENGTH: Final = 64

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
_WITHHELD = RESERVED | {ADMINISTRATORS}
# Controls, format characters such as the zero-width ones, surrogates, private use: none can be seen.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})


def manifest_tier_for(access_level: str | None) -> str:
    """The tier a manifest speaks of for a channel's access level; None is unresolved, the unknown passes."""
    if access_level is None:
        return UNRESOLVED
    return _BY_ACCESS_LEVEL.get(access_level, access_level)


def is_reserved(tier: str) -> bool:
    """May only the platform give this tier? Look-alikes in case, width, spacing or unseen characters count too."""
    return _as_read(tier) in _WITHHELD


def cleaned_tier(tier: str) -> str:
    """The name as it is stored: one line without unseen characters; :class:`BadInput` if empty or too long."""
    name = " ".join(_visible(clean(tier)).split())
    if not name or len(name) > MAX_LENGTH:
        raise BadInput(f"A tier's name has 1 to {MAX_LENGTH} visible characters.")
    return name


def _as_read(tier: str) -> str:
    """What a person takes the name for."""
    seen = without_unseen(unicodedata.normalize("NFKC", tier))
    return "".join(_visible(seen).split()).casefold()


def _visible(text: str) -> str:
    # White space is a control character to Unicode; it separates words here.
    return "".join(c for c in text if c.isspace() or unicodedata.category(c) not in _UNSEEN)
