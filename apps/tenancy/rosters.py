"""Writing many people at once, as a backend's roster names them (contract §6, §13).

A roster says who somebody is less surely than an answer about one person does, so it never takes an address or a
Slack id away from somebody else who is known: such a claim is left out until that person is asked about. Whoever
is missing from a roster stays as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from django.db import transaction
from django.db.models import Q

from apps.foundation.errors import BadInput
from apps.tenancy.models import Principal
from apps.tenancy.principals import PersonFacts, is_synthetic, stored_values, take_turns

AT_ONCE: Final = 500
CLAIMS: Final = ("slack_user_id", "email")
_WRITTEN: Final = (
    "ref", "tier", "is_admin", "display_name", "traits", "slack_user_id", "email", "profile_context",
)  # fmt: skip


Came = Literal["added", "changed", "unchanged", "left_alone"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one entry came to; ``without`` names the claims that stayed with somebody else."""

    came: Came
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """What a roster came to, in numbers and by reference."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    left_alone: int = 0
    outcomes: Mapping[str, Outcome] = field(default_factory=dict, repr=False)

    def __add__(self, other: Enrolled) -> Enrolled:
        return Enrolled(
            added=self.added + other.added,
            changed=self.changed + other.changed,
            unchanged=self.unchanged + other.unchanged,
            left_alone=self.left_alone + other.left_alone,
            outcomes={**self.outcomes, **other.outcomes},
        )


def enrol(
    people: Sequence[PersonFacts],
    *,
    may_change: Callable[[Principal], bool],
    pause: Callable[[], None] = lambda: None,
    stays: Callable[[Principal], Mapping[str, Any]] = lambda row: row.traits,
) -> Enrolled:
    """Adds and updates people, some hundred a transaction; of entries with one reference the first counts.

    ``may_change`` is asked about every stored person before they are written. ``pause`` runs between two
    transactions and may raise: what is written by then is right by itself, and the next run goes on from it.
    ``stays`` says which of somebody's traits stay when an entry gives none.
    """
    roster = _Roster(people)
    total = Enrolled()
    for number, part in enumerate(roster.parts()):
        if number:
            pause()
        with transaction.atomic():
            take_turns()
            total += _Part(roster, part, may_change=may_change, stays=stays).write()
    return total


class _Roster:
    """All entries, each reference and each claim once."""

    def __init__(self, people: Sequence[PersonFacts]) -> None:
        self._values: dict[str, dict[str, Any]] = {}
        self._claimed: dict[tuple[str, str], str] = {}
        self._twice: dict[str, list[str]] = {}
        for facts in people:
            self._add(facts)

    def parts(self) -> Iterator[dict[str, dict[str, Any]]]:
        """The entries by reference, some hundred at a time."""
        entries = list(self._values.items())
        for start in range(0, len(entries), AT_ONCE):
            yield dict(entries[start : start + AT_ONCE])

    def claimed_before(self, ref: str) -> list[str]:
        """Which of somebody's claims an earlier entry has made."""
        return self._twice.get(ref, [])

    def gives_another(self, row: Principal, claim: str) -> bool:
        """Does the roster name this person too, with another address or id than they hold?"""
        said = self._values.get(row.ref, {}).get(claim)
        return said is not None and said != getattr(row, claim)

    def _add(self, facts: PersonFacts) -> None:
        if facts.ref in self._values:
            return
        try:
            values = stored_values(facts)
        except BadInput:
            return
        for claim in CLAIMS:
            said = values.get(claim)
            if said is not None and self._claimed.setdefault((claim, said), facts.ref) != facts.ref:
                del values[claim]
                self._twice.setdefault(facts.ref, []).append(claim)
        self._values[facts.ref] = values


class _Part:
    """One transaction's worth of a roster against what is stored."""

    def __init__(
        self,
        roster: _Roster,
        entries: dict[str, dict[str, Any]],
        *,
        may_change: Callable[[Principal], bool],
        stays: Callable[[Principal], Mapping[str, Any]],
    ) -> None:
        self._roster = roster
        self._entries = entries
        self._may_change = may_change
        self._stays = stays
        self._stored = self._load()
        self._before = {row.pk: _snapshot(row) for row in self._stored}
        self._by_ref = {row.ref: row for row in self._stored}
        self._by_claim: dict[tuple[str, str], list[Principal]] = {}
        for row in self._stored:
            for claim in CLAIMS:
                if (held := getattr(row, claim)) is not None:
                    self._by_claim.setdefault((claim, held), []).append(row)
        self._new: list[Principal] = []
        self._heard: list[Principal] = []
        self._left_alone: list[str] = []
        self._without: dict[str, tuple[str, ...]] = {}

    def write(self) -> Enrolled:
        """Weighs every entry, then writes all of them in a handful of statements."""
        for ref, values in self._entries.items():
            self._weigh(ref, values)
        changed = [row for row in self._stored if _snapshot(row) != self._before[row.pk]]
        self._loosen(changed)
        renamed = [row for row in changed if row.ref != self._before[row.pk]["ref"]]
        Principal.objects.bulk_update(renamed, ["ref"])
        Principal.objects.bulk_create(
            [*changed, *self._new],
            update_conflicts=True,
            unique_fields=["tenant", "ref"],
            update_fields=[*_WRITTEN[1:], "tier_resolved_at", "updated_at"],
        )
        touched = {row.pk for row in changed}
        same = [row for row in self._heard if row.pk not in touched]
        if same:
            Principal.objects.filter(pk__in=[row.pk for row in same]).update(
                tier_resolved_at=same[0].tier_resolved_at
            )
        return Enrolled(
            added=len(self._new),
            changed=len(self._heard) - len(same),
            unchanged=len(same),
            left_alone=len(self._left_alone),
            outcomes=self._outcomes(touched),
        )

    def _outcomes(self, touched: set[Any]) -> dict[str, Outcome]:
        came: dict[str, Came] = {row.ref: "added" for row in self._new}
        came |= {row.ref: "changed" if row.pk in touched else "unchanged" for row in self._heard}
        came |= dict.fromkeys(self._left_alone, "left_alone")
        return {ref: Outcome(each, self._without.get(ref, ())) for ref, each in came.items()}

    def _load(self) -> list[Principal]:
        wanted = Q(ref__in=list(self._entries))
        for claim in CLAIMS:
            said = [values[claim] for values in self._entries.values() if claim in values]
            wanted |= Q(**{f"{claim}__in": said})
        return list(Principal.objects.select_for_update().filter(wanted).order_by("created_at", "pk"))

    def _weigh(self, ref: str, values: dict[str, Any]) -> None:
        row = self._by_ref.get(ref) or self._met_before(values)
        if row is not None and not self._may_change(row):
            self._left_alone.append(ref)
            return
        kept = {name: value for name, value in values.items() if name not in CLAIMS}
        kept |= {
            claim: values[claim] for claim in CLAIMS if claim in values and self._take(claim, values, row)
        }
        self._without[ref] = (
            *self._roster.claimed_before(ref),
            *(claim for claim in CLAIMS if claim in values and claim not in kept),
        )
        if row is None:
            self._new.append(Principal(ref=ref, **kept))
            return
        if "traits" not in kept:
            kept["traits"] = dict(self._stays(row))
        self._by_ref.pop(row.ref, None)
        row.ref = ref
        self._by_ref[ref] = row
        for name, value in kept.items():
            setattr(row, name, value)
        self._heard.append(row)

    def _met_before(self, values: dict[str, Any]) -> Principal | None:
        """Somebody known so far only through a channel keeps their row under the backend's reference."""
        for claim in CLAIMS:
            for row in self._by_claim.get((claim, values.get(claim, "")), []):
                if is_synthetic(row.ref) and getattr(row, claim) == values[claim]:
                    return row
        return None

    def _take(self, claim: str, values: dict[str, Any], taker: Principal | None) -> bool:
        """May it be taken? Then whoever holds it lets go."""
        held_by = self._by_claim.get((claim, values[claim]), [])
        holders = [row for row in held_by if row is not taker and getattr(row, claim) == values[claim]]
        if not all(self._lets_go(row, claim) for row in holders):
            return False
        for row in holders:
            setattr(row, claim, None)
        return True

    def _lets_go(self, row: Principal, claim: str) -> bool:
        return is_synthetic(row.ref) or (self._roster.gives_another(row, claim) and self._may_change(row))

    def _loosen(self, changed: list[Principal]) -> None:
        """Slack ids are unique: those that move are let go of before anybody takes one."""
        moving = [
            row.pk
            for row in changed
            if self._before[row.pk]["slack_user_id"] not in (None, row.slack_user_id)
        ]
        if moving:
            Principal.objects.filter(pk__in=moving).update(slack_user_id=None)


def _snapshot(row: Principal) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _WRITTEN}
