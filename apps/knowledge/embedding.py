"""Vectors for rows that want one (contract §11.3, §3.2).

They are made outside any transaction and stored only where a row still says what was embedded.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.foundation.clock import now
from apps.foundation.text import clean
from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge.embedding_kinds import EmbeddedKind
from apps.knowledge.vectors import storable_vector

log = logging.getLogger(__name__)

BATCH = 100
EMBEDDER_CHARS = 200
_LONGEST_REST_DAYS = 30


@dataclass(frozen=True)
class EmbeddingRun:
    """What one run did; ``left`` says that more waits, ``failed`` that the embedder did not answer."""

    embedded: int = 0
    set_aside: int = 0
    left: bool = False
    failed: bool = False


def embed_waiting(
    kind: EmbeddedKind, *, rows: Any = None, limit: int = BATCH, current: str | None = None
) -> EmbeddingRun:
    """Makes vectors for rows of the tenant that have none, all or those of a query; never raises for the embedder.

    With ``current`` the vectors of any other embedder are made anew as well.
    """
    run = EmbeddingRun()
    tried: set[UUID] = set()
    while len(tried) < limit and not run.failed:
        batch = _next(_waiting(kind, rows=rows, current=current), kind, besides=tried, limit=limit)
        if not batch:
            return run
        tried.update(row.pk for row in batch)
        run = _added(run, embed_rows(kind, batch))
    waiting = _waiting(kind, rows=rows, current=current).exclude(pk__in=tried)
    return replace(run, left=run.failed or waiting.exists())


def embed_rows(kind: EmbeddedKind, rows: Sequence[Any]) -> EmbeddingRun:
    """Makes vectors for just these rows, which were loaded with the fields of their kind."""
    try:
        batch = embeddings.embed([kind.text(row) for row in rows])
    except LlmFailure as failure:
        log.warning("%s could not be embedded now (%s); the sweep tries again", kind.name, failure.code)
        return EmbeddingRun(failed=True)
    made = [(row, vector) for row, vector in zip(rows, batch.vectors, strict=True) if vector is not None]
    stored = _store(kind, made, embedder=batch.embedder)
    unavailable = [why for why in batch.failures.values() if why == embeddings.UNAVAILABLE]
    refused = [rows[index] for index, why in batch.failures.items() if why != embeddings.UNAVAILABLE]
    _set_aside(kind, refused)
    return EmbeddingRun(embedded=stored, set_aside=len(refused), failed=bool(unavailable))


def has_waiting(kind: EmbeddedKind) -> bool:
    """Is there a row of the current tenant that has no vector and may be tried now?"""
    return bool(_waiting(kind, rows=None, current=None).exists())


def embedder_key(embedder: str) -> str:
    """An embedder's id as it is stored and compared."""
    return clean(embedder)[:EMBEDDER_CHARS]


def _added(run: EmbeddingRun, more: EmbeddingRun) -> EmbeddingRun:
    return EmbeddingRun(
        embedded=run.embedded + more.embedded,
        set_aside=run.set_aside + more.set_aside,
        failed=more.failed,
    )


def _waiting(kind: EmbeddedKind, *, rows: Any, current: str | None) -> Any:
    due = Q(embed_retry_at__isnull=True) | Q(embed_retry_at__lte=now())
    wanting = Q(embedding__isnull=True)
    if current is not None:
        wanting |= ~Q(embedder=embedder_key(current))
    found = kind.model.objects.all() if rows is None else rows
    return found.filter(due, wanting, kind.wanted).order_by(*kind.order)


def _next(waiting: Any, kind: EmbeddedKind, *, besides: set[UUID], limit: int) -> list[Any]:
    size = min(kind.batch, limit - len(besides))
    return list(waiting.exclude(pk__in=besides).only("id", "tenant_id", *kind.fields)[:size])


def _store(kind: EmbeddedKind, pairs: Sequence[tuple[Any, list[float]]], *, embedder: str) -> int:
    """Writes vectors to the rows that still exist as they were embedded; others are embedded anew by the sweep."""
    stored = 0
    with transaction.atomic():
        # Rows somebody else is changing are passed over, so that nobody waits here while holding others.
        alive = kind.model.objects.select_for_update(skip_locked=True, of=("self",))
        same = {
            row.pk: kind.text(row)
            for row in alive.filter(pk__in=[row.pk for row, _ in pairs]).only("id", "tenant_id", *kind.fields)
        }
        for row, vector in pairs:
            if same.get(row.pk) == kind.text(row):
                stored += kind.model.objects.filter(pk=row.pk).update(
                    embedding=storable_vector(vector),
                    embedder=embedder_key(embedder),
                    embed_failures=0,
                    embed_retry_at=None,
                )
    return stored


def _set_aside(kind: EmbeddedKind, rows: Sequence[Any]) -> None:
    """Texts the embedder refuses rest a day, then longer each time, instead of coming back with every sweep."""
    refused = kind.model.objects.filter(pk__in=[row.pk for row in rows])
    for row in refused.only("id", "tenant_id", "embed_failures"):
        failures: int = row.embed_failures
        kind.model.objects.filter(pk=row.pk).update(
            embed_failures=min(failures + 1, 100),
            embed_retry_at=now() + timedelta(days=min(2**failures, _LONGEST_REST_DAYS)),
        )
