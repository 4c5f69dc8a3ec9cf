"""Asking a backend who somebody is, and whom it knows (contract §7.3, identity and roster)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from apps.foundation.http_failure import HttpFailure
from apps.foundation.text import one_line
from apps.foundation.wire_json import BadJson, clean_json, write_json
from apps.integrations.models import Integration
from apps.integrations.rootint.wire import (
    MAX_ROSTER_BYTES,
    MAX_ROSTER_PARTS,
    expect_success,
    signed_json,
)
from apps.tenancy.emails import normalized_email
from apps.tenancy.principals import EMAIL_REF_PREFIX, SLACK_REF_PREFIX
from apps.tenancy.tiers import is_reserved

MAX_REF = 256
MAX_TIER = 64
MAX_SLACK_ID = 64
MAX_PROFILE = 8_000
MAX_TRAITS = 16_000
# What the platform calls people without a reference; a backend must not answer with such a name.
_PLATFORM_REFS = frozenset({"anonymous"})
_PLATFORM_PREFIXES = (EMAIL_REF_PREFIX, SLACK_REF_PREFIX)
# Grounds the platform notes beside a person's traits; a backend cannot claim them.
PLATFORM_TRAITS = frozenset({"tier_source", "tier_channel", "tier_integration", "tier_address"})
ACTS_FOR_REASONS = frozenset({"historical_cc", "hosted_office_hours_invite"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendPerson:
    """A person in a backend's words, checked and bounded."""

    ref: str
    display_name: str
    tier: str
    is_admin: bool = False
    traits: Mapping[str, Any] = field(default_factory=dict)
    email: str | None = None
    slack_user_id: str | None = None
    profile_context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsFor:
    """Somebody else this sender may act for, and why."""

    reason: str
    person: BackendPerson


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """A backend's answer; ``person`` None means it does not know them."""

    person: BackendPerson | None
    acts_for: ActsFor | None = None


def identify(
    integration: Integration,
    *,
    channel: Literal["slack", "email"],
    slack_user_id: str | None = None,
    email: str | None = None,
) -> Identification:
    """Asks one backend; raises :class:`HttpFailure` when there is no usable answer."""
    asked = {"channel": channel, "slack_user_id": slack_user_id, "email": email}
    body = write_json(clean_json({key: value for key, value in asked.items() if value}))
    status, reply = signed_json(integration, "identity_resolve", body=body)
    # "Not found" about a person is an answer; a bare 404 may come from whatever stands before a dead backend.
    if status != 404 or not _names_nobody(reply):
        expect_success(status)
    if not isinstance(reply, dict) or "principal" not in reply:
        raise HttpFailure("bad_response", "The backend's identity reply names no principal.")
    return Identification(
        person=_person_or_none(reply["principal"]), acts_for=_acts_for(reply.get("acts_for"))
    )


def roster(integration: Integration) -> tuple[BackendPerson, ...] | None:
    """Everybody a backend vouches for, without malformed and reserved entries; None if it keeps no roster."""
    status, reply = signed_json(
        integration, "identity_roster", max_bytes=MAX_ROSTER_BYTES, most_parts=MAX_ROSTER_PARTS
    )
    if status == 404:
        return None
    expect_success(status)
    entries = reply.get("principals") if isinstance(reply, dict) else None
    if not isinstance(entries, list):
        raise HttpFailure("bad_response", "The backend's roster is not a list of principals.")
    people = [read_person(entry) for entry in entries]
    return tuple(person for person in people if person is not None and not is_reserved(person.tier))


def read_person(given: Any) -> BackendPerson | None:
    """A person out of JSON, or None if reference or tier are unusable."""
    if not isinstance(given, dict):
        return None
    ref, tier = read_ref(given.get("principal_ref")), _text(given.get("tier"))
    if not ref or not tier or len(tier) > MAX_TIER or not tier.isprintable():
        return None
    return BackendPerson(
        ref=ref,
        tier=tier,
        display_name=one_line(_text(given.get("display_name"))),
        is_admin=given.get("is_admin") is True,
        traits=_traits(given.get("traits")),
        email=normalized_email(given.get("email")),
        slack_user_id=read_slack_id(given.get("slack_user_id")),
        profile_context=_text(given.get("profile_context"))[:MAX_PROFILE],
    )


def _names_nobody(reply: Any) -> bool:
    return isinstance(reply, dict) and reply.get("principal", "") is None


def _person_or_none(given: Any) -> BackendPerson | None:
    if given is None:
        return None
    person = read_person(given)
    if person is None:
        raise HttpFailure("bad_response", "The backend's principal has no usable reference or tier.")
    return person


def _acts_for(given: Any) -> ActsFor | None:
    if not isinstance(given, dict) or given.get("reason") not in ACTS_FOR_REASONS:
        return None
    person = read_person(given.get("principal"))
    return None if person is None else ActsFor(reason=given["reason"], person=person)


def read_ref(given: Any) -> str:
    # Numbers are common as ids; 7 and "7" are one person.
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else _text(given)
    return text if len(text) <= MAX_REF and text.isprintable() and not _is_ours(text) else ""


def _is_ours(ref: str) -> bool:
    read = unicodedata.normalize("NFKC", ref).strip().casefold()
    return read in _PLATFORM_REFS or read.startswith(_PLATFORM_PREFIXES)


def read_slack_id(given: Any) -> str | None:
    # Cut short it would be somebody else's.
    text = _text(given)
    return text if text and text.isprintable() and len(text) <= MAX_SLACK_ID else None


def _text(given: Any) -> str:
    return given.strip() if isinstance(given, str) else ""


def _traits(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        return {}
    try:
        traits: dict[str, Any] = clean_json(given)
        small = len(write_json(traits)) <= MAX_TRAITS
    except BadJson:
        return {}
    return {key: value for key, value in traits.items() if key not in PLATFORM_TRAITS} if small else {}
