"""Whom a backend knows: its roster, and who somebody is (contract §7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from apps.foundation.http_failure import HttpFailure
from apps.integrations.conformance.calling import Heard, signed
from apps.integrations.conformance.report import Finding, advice, failed, held, passed, skipped
from apps.integrations.models import Integration
from apps.integrations.rootint.people import BackendPerson, Identification, identify, read_person
from apps.tenancy.tiers import is_reserved

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Roster:
    """The roster as it came; ``people`` are its usable entries."""

    heard: Heard
    entries: Sequence[Any] | None
    people: tuple[BackendPerson, ...]


def ask_roster(row: Integration) -> Roster:
    """Everybody the backend lists."""
    heard = signed(row, "identity_roster")
    reply = heard.json_or_none() if heard.good else None
    entries = reply.get("principals") if isinstance(reply, dict) else None
    if not isinstance(entries, list):
        return Roster(heard, None, ())
    return Roster(heard, entries, tuple(p for p in map(read_person, entries) if p is not None))


def check_roster(roster: Roster, *, tiers: frozenset[str]) -> Iterator[Finding]:
    """Each entry must be usable; one that is not is a person Root will not know."""
    if roster.heard.status == 404:
        yield skipped("roster.shape", "answered with 404: this backend keeps no roster, which is allowed")
        return
    if roster.entries is None:
        yield failed("roster.shape", f'expected {{"principals": [...]}}: {roster.heard.shown()}')
        return
    yield passed("roster.shape", f"{len(roster.entries)} people")
    yield held("roster.entries", _unusable(roster.entries))
    refs = [person.ref for person in roster.people]
    yield held("roster.unique", None if len(set(refs)) == len(refs) else "a principal_ref is listed twice")
    yield held("roster.tiers", _strange_tiers(roster.people, tiers))
    if any(is_reserved(person.tier) for person in roster.people):
        yield advice("roster.reserved", "people in one of Root's own tiers are left out by Root")


def check_identity(row: Integration, roster: Roster, *, tiers: frozenset[str]) -> Iterator[Finding]:
    """A stranger is nobody; somebody of the roster is the same here as there."""
    yield _stranger(row, "slack", {"slack_user_id": "U0ROOTINTCHECK"})
    yield _stranger(row, "email", {"email": "rootint-check@nobody.example"})
    by_slack = next((person for person in roster.people if person.slack_user_id), None)
    by_email = next((person for person in roster.people if person.email), None)
    yield _known(row, "slack", by_slack, {"slack_user_id": by_slack and by_slack.slack_user_id}, tiers)
    yield _known(row, "email", by_email, {"email": by_email and by_email.email}, tiers)


def _stranger(row: Integration, channel: Literal["slack", "email"], who: dict[str, Any]) -> Finding:
    check = f"identity.unknown.{channel}"
    try:
        found = identify(row, channel=channel, **who).person
    except HttpFailure as failure:
        return failed(
            check, f'somebody unknown must be answered with {{"principal": null}}: {failure.message}'
        )
    return held(check, f"somebody who cannot be known was taken for {found.ref!a}" if found else None)


def _known(
    row: Integration,
    channel: Literal["slack", "email"],
    person: BackendPerson | None,
    who: dict[str, Any],
    tiers: frozenset[str],
) -> Finding:
    check = f"identity.known.{channel}"
    if person is None:
        return skipped(check, f"the roster names nobody to ask for by {channel}")
    try:
        found = identify(row, channel=channel, **who)
    except HttpFailure as failure:
        return failed(check, failure.message)
    return held(check, _differs(person, found, tiers), told=f"{person.ref} is a {person.tier}")


def _differs(person: BackendPerson, found: Identification, tiers: frozenset[str]) -> str | None:
    if found.person is None:
        return f"{person.ref!a} stands in the roster and is not found"
    if found.person.ref != person.ref:
        return f"{person.ref!a} of the roster is found as {found.person.ref!a}"
    if (found.person.tier, found.person.is_admin) != (person.tier, person.is_admin):
        return f"{person.ref!a} has another tier or admin flag here than in the roster"
    return _strange_tiers([found.person], tiers)


def _unusable(entries: Sequence[Any]) -> str | None:
    places = [position for position, entry in enumerate(entries) if read_person(entry) is None]
    named = ", ".join(f"principals[{position}]" for position in places[:_SHOWN])
    return f"without a usable principal_ref or tier: {named} ({len(places)} in all)" if places else None


def _strange_tiers(people: Sequence[BackendPerson], tiers: frozenset[str]) -> str | None:
    if not tiers:
        return None
    strange = sorted({p.tier for p in people if p.tier not in tiers and not is_reserved(p.tier)})
    return f"held by people, but not among access_tiers: {', '.join(strange[:_SHOWN])}" if strange else None
