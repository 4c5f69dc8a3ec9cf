"""What a person wants remembered: saved on their word, listed, forgotten (contract §2.4, §5.1).

Everything here is one person's own, found by tenant and ref; somebody else's id is an id that does not exist.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.agent.models import MemberPreference, PreferenceScope, PreferenceType
from apps.foundation import clock
from apps.foundation.errors import BadInput, Conflict, Forbidden, NotFound
from apps.foundation.text import clean, normalized
from apps.integrations.identity import ResolvedPerson
from apps.tenancy import principals
from apps.tenancy.models import Principal
from apps.tenancy.tiers import is_reserved

MOST_ACTIVE: Final = 500
LONGEST_INSTRUCTIONS: Final = 500
LONGEST_TRIGGER: Final = 120
LONGEST_VALUE: Final = 200


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What somebody asked for, in their words."""

    instructions: str
    preference_type: str = PreferenceType.CUSTOM
    trigger_phrase: str = ""
    canonical_value: str = ""
    channel_scope: str = PreferenceScope.ALL


@dataclass(frozen=True)
class Remembered:
    """The row, and whether it is new, says something else than before, or was there already."""

    preference: MemberPreference
    status: Literal["saved", "updated", "already_saved"]


def remember(person: ResolvedPerson, wish: Wish) -> Remembered:
    """Saves a wish. One that repeats an earlier one, or gives a phrase a new meaning, takes its place.

    Raises :class:`Forbidden` for somebody not recognized, :class:`BadInput` for what cannot be stored,
    :class:`Conflict` when too many are active.
    """
    said = _checked(wish)
    with transaction.atomic():
        _hold(person)
        mine = _active(person)
        same = next((row for row in mine if _identity(row) == _identity(said)), None)
        if same is not None:
            return _renewed(same, said)
        if len(mine) >= MOST_ACTIVE:
            raise Conflict(
                f"There are {MOST_ACTIVE} saved preferences already; some must be forgotten first."
            )
        return Remembered(MemberPreference.objects.create(member_id=person.ref, **asdict(said)), "saved")


def active_preferences(person: ResolvedPerson) -> list[MemberPreference]:
    """All that holds for somebody now, the latest word first; nothing for a person not recognized."""
    return _active(person) if _is_recognized(person) else []


def forget(person: ResolvedPerson, preference_id: str | UUID) -> MemberPreference:
    """Makes one of somebody's own preferences inactive; doing so twice is no mistake.

    Raises :class:`Forbidden` or :class:`NotFound`.
    """
    with transaction.atomic():
        _hold(person)
        mine = MemberPreference.objects.filter(member_id__in=_refs(person))
        row: MemberPreference | None = mine.filter(pk=_as_id(preference_id)).first()
        if row is None:
            raise NotFound("There is no saved preference of this person with that id.")
        if row.active:
            row.active = False
            row.save(update_fields=["active", "updated_at"])
        return row


def active_of(row: Principal) -> list[MemberPreference]:
    """The same for a stored person, whatever their tier: what administrators and programs look at."""
    return _active(row)


def clear(row: Principal) -> int:
    """Makes all of a stored person's preferences inactive; how many were active."""
    with transaction.atomic():
        Principal.objects.select_for_update(no_key=True).filter(pk=row.pk).first()
        mine = MemberPreference.objects.filter(member_id__in=_refs(row), active=True)
        return mine.update(active=False, updated_at=clock.now())


def deactivate(preference_id: UUID) -> MemberPreference:
    """Makes anybody's preference inactive, on the community's word; raises :class:`NotFound`."""
    with transaction.atomic():
        row = _found(MemberPreference.objects.filter(pk=preference_id).first())
        _hold_those_called(row.member_id)
        # Their turn may have been ours to wait for: what counts is how it stands now.
        row = _found(MemberPreference.objects.filter(pk=preference_id).first())
        if row.active:
            row.active = False
            row.save(update_fields=["active", "updated_at"])
        return row


def _found(row: MemberPreference | None) -> MemberPreference:
    if row is None:
        raise NotFound("There is no saved preference with that id.")
    return row


def _hold_those_called(ref: str) -> None:
    """Locks whoever this reference means, or meant before a backend knew them."""
    called = Q(ref=ref)
    if ref.startswith(principals.SLACK_REF_PREFIX):
        called |= Q(slack_user_id=ref.removeprefix(principals.SLACK_REF_PREFIX))
    if ref.startswith(principals.EMAIL_REF_PREFIX):
        called |= Q(email=ref.removeprefix(principals.EMAIL_REF_PREFIX))
    list(Principal.objects.select_for_update(no_key=True).filter(called).order_by("pk"))


def _active(person: ResolvedPerson | Principal) -> list[MemberPreference]:
    rows = MemberPreference.objects.filter(member_id__in=_refs(person), active=True)
    return list(rows.order_by("-updated_at", "-created_at", "id")[:MOST_ACTIVE])


def _refs(person: ResolvedPerson | Principal) -> list[str]:
    """All names a person's wishes may stand under: a backend may have met them after we did."""
    earlier = [
        principals.SLACK_REF_PREFIX + person.slack_user_id if person.slack_user_id else "",
        principals.EMAIL_REF_PREFIX + person.email if person.email else "",
    ]
    return [person.ref, *(ref for ref in earlier if ref)]


def _hold(person: ResolvedPerson) -> None:
    """Locks the person's row, so that of two wishes at one moment the second sees the first."""
    rows = Principal.objects.select_for_update(no_key=True).filter(ref=person.ref)
    if not _is_recognized(person) or rows.first() is None:
        raise Forbidden("Preferences can only be kept for people this community recognizes.")


def _is_recognized(person: ResolvedPerson) -> bool:
    return person.principal is not None and not is_reserved(person.tier)


def _renewed(row: MemberPreference, said: Wish) -> Remembered:
    changed = [name for name, value in asdict(said).items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, getattr(said, name))
    # Saying a thing again makes it the latest word.
    row.save(update_fields=[*changed, "updated_at"])
    return Remembered(row, "updated" if changed else "already_saved")


def _identity(said: Wish | MemberPreference) -> tuple[str, ...]:
    """What makes two wishes the same. A phrase has one meaning in a place, so an alias is known by its phrase."""
    phrase = normalized(said.trigger_phrase)
    if phrase and said.preference_type == PreferenceType.NICKNAME_ALIAS:
        return ("alias", phrase, said.channel_scope)
    return ("wish", normalized(said.instructions).rstrip(".!"), phrase, said.channel_scope)


def _checked(wish: Wish) -> Wish:
    return Wish(
        instructions=_line(wish.instructions, "The instructions", limit=LONGEST_INSTRUCTIONS, required=True),
        preference_type=_choice(wish.preference_type, PreferenceType.values, "preference type"),
        trigger_phrase=_line(wish.trigger_phrase, "The trigger phrase", limit=LONGEST_TRIGGER),
        canonical_value=_line(wish.canonical_value, "The canonical value", limit=LONGEST_VALUE),
        channel_scope=_choice(wish.channel_scope, PreferenceScope.values, "channel scope"),
    )


def _line(value: object, name: str, *, limit: int, required: bool = False) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text.")
    # Shown to people and models as one line; how a prompt is protected from it is decided where it enters one.
    text = " ".join(clean(value).split())
    if required and not text:
        raise BadInput(f"{name} must not be empty.")
    if len(text) > limit:
        raise BadInput(f"{name} may have at most {limit} characters; say it more briefly.")
    return text


def _choice(value: object, known: list[str], name: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise BadInput(f"There is no such {name}; it is one of {', '.join(known)}.")
    return value


def _as_id(given: str | UUID) -> UUID:
    try:
        return given if isinstance(given, UUID) else UUID(str(given).strip())
    except ValueError:
        raise NotFound("There is no saved preference of this person with that id.") from None
