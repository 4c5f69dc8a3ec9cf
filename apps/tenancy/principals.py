"""The one writer of the people a tenant knows (contract §2.1, §6)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, OperationalError, connection, transaction

from apps.foundation import clock
from apps.foundation.errors import NotFound
from apps.foundation.text import clean, one_line
from apps.tenancy.context import current_tenant_id
from apps.tenancy.emails import normalized_email
from apps.tenancy.models import Principal
from apps.tenancy.tiers import cleaned_tier

EMAIL_REF_PREFIX: Final = "email:"
SLACK_REF_PREFIX: Final = "slack:"
_ATTEMPTS = 5
_rehearsing: ContextVar[bool] = ContextVar("root_people_rehearsed", default=False)
_CLAIMS: Final = 7_310_044  # beside the other advisory locks of this platform


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFacts:
    """What is known about a person now. None leaves what is stored; a given value replaces it."""

    ref: str
    tier: str
    display_name: str | None = None
    is_admin: bool = False
    traits: Mapping[str, Any] | None = None
    email: str | None = None
    slack_user_id: str | None = None
    profile_context: str | None = None
    tier_resolved_at: datetime | None = field(default_factory=clock.now)


def by_ref(ref: str) -> Principal | None:
    """The person with this external reference."""
    found: Principal | None = Principal.objects.filter(ref=clean(ref)).first()
    return found


def by_email(email: str) -> Principal | None:
    """The person with this address; of several, the one resolved last."""
    address = normalized_email(email)
    if address is None:
        return None
    found: Principal | None = Principal.objects.filter(email=address).order_by("-updated_at").first()
    return found


def by_slack(slack_user_id: str) -> Principal | None:
    """The person bound to this Slack user."""
    found: Principal | None = Principal.objects.filter(slack_user_id=clean(slack_user_id)).first()
    return found


def chosen(
    *, ref: str | None = None, email: str | None = None, slack_user_id: str | None = None
) -> Principal:
    """The person known by the one name that is given; raises :class:`NotFound`."""
    found = (
        by_ref(ref.strip())
        if ref is not None
        else by_email(email)
        if email is not None
        else by_slack((slack_user_id or "").strip())
    )
    if found is None:
        raise NotFound("There is no such person.")
    return found


def is_synthetic(ref: str) -> bool:
    """Was this reference made here, for want of one from a backend?"""
    return ref.startswith((EMAIL_REF_PREFIX, SLACK_REF_PREFIX))


def upsert(facts: PersonFacts) -> Principal:
    """Stores what is known, moving an address or Slack id to its newer claimant.

    Two writers may claim the same id at the same moment; the one that loses the race starts over.
    """
    for attempt in range(_ATTEMPTS):
        try:
            with transaction.atomic():
                row = _write(facts)
                transaction.set_rollback(_rehearsing.get())
                return row
        except (IntegrityError, OperationalError):
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(0.02 * (attempt + 1))
    raise AssertionError("unreachable")


@contextmanager
def rehearsed() -> Iterator[None]:
    """Within the block people come out as they would be stored, and nothing of it stays."""
    token = _rehearsing.set(True)
    try:
        yield
    finally:
        _rehearsing.reset(token)


def as_stored(row: Principal) -> Principal | None:
    """The person as the database has them now."""
    found: Principal | None = Principal.objects.filter(pk=row.pk).first()
    return found


def postpone(row: Principal, *, resolved_at: datetime) -> None:
    """Leaves a person as they are and notes when their tier was last looked at."""
    if _rehearsing.get():
        return
    Principal.objects.filter(pk=row.pk).update(tier_resolved_at=resolved_at)
    row.tier_resolved_at = resolved_at


def _write(facts: PersonFacts) -> Principal:
    ref = clean(facts.ref)
    values = stored_values(facts)
    take_turns()
    row = Principal.objects.select_for_update().filter(ref=ref).first() or _adopted(ref, values)
    _release_claims(values, keep=row)
    if row is None:
        created: Principal = Principal.objects.create(ref=ref, **values)
        return created
    row.ref = ref
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=["ref", *values, "updated_at"])
    kept: Principal = row
    return kept


def take_turns() -> None:
    """One writer of a tenant's people at a time: those who claim ids from each other would deadlock, row by row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_CLAIMS, str(current_tenant_id())])


def stored_values(facts: PersonFacts) -> dict[str, Any]:
    """The columns these facts replace, cleaned."""
    offered = {
        "display_name": None if facts.display_name is None else one_line(facts.display_name),
        "traits": None if facts.traits is None else dict(facts.traits),
        "email": normalized_email(facts.email),
        "slack_user_id": clean(facts.slack_user_id) if facts.slack_user_id else None,
        "profile_context": None if facts.profile_context is None else clean(facts.profile_context),
    }
    known = {name: value for name, value in offered.items() if value is not None}
    return {
        "tier": cleaned_tier(facts.tier),
        "is_admin": facts.is_admin,
        "tier_resolved_at": facts.tier_resolved_at,
        **known,
    }


def _adopted(ref: str, values: Mapping[str, Any]) -> Principal | None:
    """Somebody first met through a channel keeps the row, and all that hangs on it, under the real ref."""
    if is_synthetic(ref):
        return None
    for claim in ("slack_user_id", "email"):
        if claim in values:
            row: Principal | None = (
                Principal.objects.select_for_update()
                .filter(**{claim: values[claim]})
                .order_by("created_at")
                .first()
            )
            if row is not None and is_synthetic(row.ref):
                return row
    return None


def _release_claims(values: Mapping[str, Any], *, keep: Principal | None) -> None:
    for claim in ("slack_user_id", "email"):
        if claim in values:
            others = Principal.objects.filter(**{claim: values[claim]})
            if keep is not None:
                others = others.exclude(pk=keep.pk)
            others.update(**{claim: None})
