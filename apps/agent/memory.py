"""What is kept about a person beyond who they are: memory and wishes (contract §6, §12.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction

from apps.agent import preferences
from apps.agent.models import MemberPreference
from apps.tenancy import memory, principals
from apps.tenancy.models import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonState:
    """A person as they stand now, and their active wishes, the latest word first."""

    principal: Principal
    wishes: list[MemberPreference] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Whose memory is empty now, and how many wishes went with it."""

    principal: Principal
    wishes_cleared: int


def state_of(
    *, ref: str | None = None, email: str | None = None, slack_user_id: str | None = None
) -> PersonState:
    """The person known by the one name that is given; raises :class:`NotFound`."""
    row = principals.chosen(ref=ref, email=email, slack_user_id=slack_user_id)
    return PersonState(principal=row, wishes=preferences.active_of(row))


def reset_memory(
    *,
    ref: str | None = None,
    email: str | None = None,
    slack_user_id: str | None = None,
    clear_preferences: bool = False,
) -> Reset:
    """Forgets what was said so far, and on demand what they wished for; raises :class:`NotFound`."""
    with transaction.atomic():
        row = principals.chosen(ref=ref, email=email, slack_user_id=slack_user_id)
        cleared = preferences.clear(row) if clear_preferences else 0
        kept = memory.forget_memory(row, preferences_too=clear_preferences)
    return Reset(principal=kept, wishes_cleared=cleared)
