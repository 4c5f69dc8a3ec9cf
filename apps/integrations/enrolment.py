"""People as a community's own program names them, many at once (contract §12.2).

It is the community's word, like a roster, and bound by the same rules: no reserved tier, no reference the platform
makes itself, and no address or Slack id is taken from somebody else who is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from apps.foundation import clock
from apps.foundation.errors import BadInput
from apps.foundation.wire_json import BadJson, clean_json, write_json
from apps.integrations.rootint.people import (
    MAX_REF,
    MAX_TRAITS,
    PLATFORM_TRAITS,
    read_ref,
    read_slack_id,
)
from apps.integrations.standing import bare_traits
from apps.tenancy.emails import normalized_email
from apps.tenancy.principals import PersonFacts
from apps.tenancy.rosters import Came, Outcome, enrol
from apps.tenancy.tiers import cleaned_tier, is_reserved

Status = Literal["created", "updated", "unchanged", "refused"]
_STATUS: Final[Mapping[Came, Status]] = {
    "added": "created",
    "changed": "updated",
    "unchanged": "unchanged",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one entry. ``without``: claims that somebody else holds and keeps."""

    ref: str
    status: Status
    problem: str | None = None
    without: tuple[str, ...] = ()


def enrol_people(entries: Sequence[PersonFacts]) -> list[Result]:
    """Adds and updates people; one result an entry, in order. Who is at fault is left out, nobody else."""
    looked_at = clock.now()
    good: dict[str, PersonFacts] = {}
    refused: dict[int, str] = {}
    for number, entry in enumerate(entries):
        try:
            facts = _checked(entry, known=good)
        except BadInput as error:
            refused[number] = error.message
        else:
            good[facts.ref] = replace(facts, tier_resolved_at=looked_at)
    enrolled = enrol(list(good.values()), may_change=lambda _row: True, stays=bare_traits)
    return [
        Result(ref=entry.ref, status="refused", problem=refused[number])
        if number in refused
        else _result(entry.ref, enrolled.outcomes[read_ref(entry.ref)])
        for number, entry in enumerate(entries)
    ]


def _result(ref: str, outcome: Outcome) -> Result:
    return Result(ref=ref, status=_STATUS[outcome.came], without=outcome.without)


def _checked(entry: PersonFacts, *, known: Mapping[str, PersonFacts]) -> PersonFacts:
    ref = read_ref(entry.ref)
    if not ref:
        raise BadInput(
            f"ref: 1 to {MAX_REF} printable characters; “anonymous”, “email:…” and “slack:…” are the platform's."
        )
    if ref in known:
        raise BadInput("ref: an earlier entry names the same person.")
    if is_reserved(entry.tier):
        raise BadInput("tier: only the platform gives this one.")
    if entry.email is not None and normalized_email(entry.email) is None:
        raise BadInput("email: this is not a mail address.")
    if entry.slack_user_id is not None and read_slack_id(entry.slack_user_id) is None:
        raise BadInput("slack_user_id: 1 to 64 printable characters.")
    return replace(
        entry,
        ref=ref,
        tier=cleaned_tier(entry.tier),
        slack_user_id=read_slack_id(entry.slack_user_id),
        traits=None if entry.traits is None else _traits(entry.traits),
    )


def _traits(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        traits: dict[str, Any] = clean_json(dict(given))
        size = len(write_json(traits))
    except BadJson as error:
        raise BadInput(f"traits: {error}.") from None
    if size > MAX_TRAITS:
        raise BadInput(f"traits: {MAX_TRAITS} bytes of JSON at most.")
    return {name: value for name, value in traits.items() if name not in PLATFORM_TRAITS}
