"""A request sent twice under one key has one effect and one answer (contract §12.2)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from apps.foundation import clock
from apps.foundation.errors import BadInput, Conflict
from apps.foundation.text import clean
from apps.tenancy.models import IdempotentRequest
from apps.tenancy.scoping import unscoped

KEY_LIMIT = 200
KEPT = timedelta(hours=24)
SWEPT_AT_ONCE = 5000
# Longer than any request may take: a claim that old was left by a process that died.
ABANDONED = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to carry a request out. ``id`` is the same when the work of a dead process is taken up again."""

    id: UUID
    again: bool
    claimed_at: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the same request was answered before."""

    status: int
    answer: Any = field(repr=False)


def claim(*, operation: str, key: str, content: bytes) -> Claim | Earlier:
    """Takes a request on, or says what it was answered. ``content`` is all that makes it this request.

    Raises :class:`BadInput` for an unusable key, :class:`Conflict` for one that was used for something else or
    whose request is still at work.
    """
    if not key or len(key) > KEY_LIMIT or clean(key) != key:
        raise BadInput(f"Idempotency-Key: 1 to {KEY_LIMIT} visible characters.")
    fingerprint = hashlib.sha256(content).hexdigest()
    row, new = IdempotentRequest.objects.get_or_create(
        operation=operation,
        key=key,
        defaults={"fingerprint": fingerprint, "claimed_at": clock.now()},
    )
    if new:
        return Claim(row.pk, again=False, claimed_at=row.claimed_at)
    if row.fingerprint != fingerprint:
        raise Conflict("This Idempotency-Key was used for a different request.")
    if row.status is not None:
        return Earlier(row.status, row.answer)
    return _taken_up(row)


def answered(held: Claim, *, status: int, answer: Any) -> None:
    """Keeps the answer for whoever asks again."""
    IdempotentRequest.objects.filter(pk=held.id, status=None).update(status=status, answer=answer)


def released(held: Claim) -> None:
    """Nothing came of it and nothing was changed: the key is free again."""
    IdempotentRequest.objects.filter(pk=held.id, status=None, claimed_at=held.claimed_at).delete()


def sweep() -> int:
    """Forgets requests older than a day, of all communities, a batch at once."""
    rows = unscoped(IdempotentRequest)
    old = rows.filter(created_at__lt=clock.now() - KEPT).values("pk")[:SWEPT_AT_ONCE]
    return rows.filter(pk__in=old).delete()[0]


def _taken_up(row: IdempotentRequest) -> Claim:
    now = clock.now()
    taken = IdempotentRequest.objects.filter(
        pk=row.pk, status=None, claimed_at=row.claimed_at, claimed_at__lt=now - ABANDONED
    ).update(claimed_at=now)
    if not taken:
        raise Conflict("The first request with this Idempotency-Key is still at work.")
    return Claim(row.pk, again=True, claimed_at=now)
