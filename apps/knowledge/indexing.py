"""Chunks of pages and their vectors (contract §11.3, §3.2).

Chunks are written in the page's transaction, without vectors; vectors are made outside any transaction and
stored only where the chunk still says what was embedded.
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
from apps.knowledge.chunking import chunk_html
from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.vectors import storable_vector

log = logging.getLogger(__name__)

BATCH = 100
# More than this at once is left to the sweep, so that saving a book does not take minutes.
INLINE_CHUNKS = 300
# A title of any length is stored; its start is enough for searching and keeps the text embeddable.
INDEXED_TITLE_CHARS = 300
EMBEDDER_CHARS = 200
_LONGEST_REST_DAYS = 30


@dataclass(frozen=True)
class EmbeddingRun:
    """What one run did; ``left`` says that more waits, ``failed`` that the embedder did not answer."""

    embedded: int = 0
    set_aside: int = 0
    left: bool = False
    failed: bool = False


def chunk_metadata(page: KnowledgePage) -> dict[str, Any]:
    """What each chunk repeats of its page."""
    return {
        "title": page.title[:INDEXED_TITLE_CHARS],
        "slug": page.slug,
        "public_id": page.public_id,
        "source_type": page.source_type,
        "author_name": page.author_name,
    }


def replace_chunks(page: KnowledgePage) -> int:
    """Cuts a page anew, in the caller's transaction; text that stayed the same keeps its vector."""
    metadata = chunk_metadata(page)
    known = {
        (chunk.metadata.get("title"), chunk.chunk_text): chunk
        for chunk in KnowledgeChunk.objects.filter(knowledge_page=page, embedding__isnull=False)
    }
    KnowledgeChunk.objects.filter(knowledge_page=page).delete()
    rows = []
    for piece in chunk_html(page.content_html):
        row = KnowledgeChunk(
            knowledge_page=page,
            chunk_index=piece.index,
            chunk_text=piece.text,
            metadata={**metadata, "section_heading": piece.heading or None},
        )
        before = known.get((metadata["title"], piece.text))
        if before is not None:
            row.embedding, row.embedder = before.embedding, before.embedder
        rows.append(row)
    KnowledgeChunk.objects.bulk_create(rows, batch_size=BATCH)
    return len(rows)


def refresh_metadata(page: KnowledgePage) -> None:
    """Repeats changed details of a page in its chunks; nothing is embedded again."""
    chunks = list(KnowledgeChunk.objects.filter(knowledge_page=page).only("id", "tenant_id", "metadata"))
    for chunk in chunks:
        chunk.metadata = {**chunk.metadata, **chunk_metadata(page)}
    KnowledgeChunk.objects.bulk_update(chunks, ["metadata"], batch_size=BATCH)


def embed_pending(
    *, page: KnowledgePage | None = None, limit: int = BATCH, current: str | None = None
) -> EmbeddingRun:
    """Makes vectors for chunks that have none, of one page or of the tenant; never raises for the embedder.

    With ``current`` the vectors of any other embedder are made anew as well.
    """
    run = EmbeddingRun()
    tried: set[UUID] = set()
    while len(tried) < limit and not run.failed:
        waiting = _waiting(page=page, current=current).exclude(pk__in=tried)
        chunks = list(
            waiting.only("id", "tenant_id", "chunk_text", "metadata")[: min(BATCH, limit - len(tried))]
        )
        if not chunks:
            return run
        tried.update(chunk.pk for chunk in chunks)
        run = _embed(chunks, run=run)
    return replace(
        run, left=run.failed or _waiting(page=page, current=current).exclude(pk__in=tried).exists()
    )


def is_waiting() -> bool:
    """Is there a chunk of the current tenant that has no vector and may be tried now?"""
    return bool(_waiting(page=None, current=None).exists())


def embed_input(chunk: KnowledgeChunk) -> str:
    """The text that is embedded for a chunk."""
    return f"{chunk.metadata.get('title') or ''}\n\n{chunk.chunk_text}"


def embedder_key(embedder: str) -> str:
    """An embedder's id as it is stored and compared."""
    return clean(embedder)[:EMBEDDER_CHARS]


def _waiting(*, page: KnowledgePage | None, current: str | None) -> Any:
    due = Q(embed_retry_at__isnull=True) | Q(embed_retry_at__lte=now())
    wanting = Q(embedding__isnull=True)
    if current is not None:
        wanting |= ~Q(embedder=embedder_key(current))
    rows = KnowledgeChunk.objects.filter(due, wanting)
    return (rows.filter(knowledge_page=page) if page else rows).order_by("knowledge_page_id", "chunk_index")


def _embed(chunks: Sequence[KnowledgeChunk], *, run: EmbeddingRun) -> EmbeddingRun:
    try:
        batch = embeddings.embed([embed_input(chunk) for chunk in chunks])
    except LlmFailure as failure:
        log.warning("chunks could not be embedded now (%s); the sweep tries again", failure.code)
        return replace(run, failed=True)
    pairs = list(zip(chunks, batch.vectors, strict=True))
    stored = _store(
        [(chunk, vector) for chunk, vector in pairs if vector is not None], embedder=batch.embedder
    )
    unavailable = [why for why in batch.failures.values() if why == embeddings.UNAVAILABLE]
    refused = [chunks[index] for index, why in batch.failures.items() if why != embeddings.UNAVAILABLE]
    _set_aside(refused)
    return EmbeddingRun(
        embedded=run.embedded + stored, set_aside=run.set_aside + len(refused), failed=bool(unavailable)
    )


def _store(pairs: Sequence[tuple[KnowledgeChunk, list[float]]], *, embedder: str) -> int:
    """Writes vectors to the chunks that still exist as they were embedded; others have new rows by now."""
    stored = 0
    with transaction.atomic():
        # Rows somebody else is changing are passed over, so that nobody waits here while holding others.
        alive = KnowledgeChunk.objects.select_for_update(skip_locked=True, of=("self",))
        same = {
            chunk.pk: embed_input(chunk)
            for chunk in alive.filter(pk__in=[chunk.pk for chunk, _ in pairs]).only(
                "id", "tenant_id", "chunk_text", "metadata"
            )
        }
        for chunk, vector in pairs:
            if same.get(chunk.pk) == embed_input(chunk):
                stored += KnowledgeChunk.objects.filter(pk=chunk.pk).update(
                    embedding=storable_vector(vector),
                    embedder=embedder_key(embedder),
                    embed_failures=0,
                    embed_retry_at=None,
                )
    return stored


def _set_aside(chunks: Sequence[KnowledgeChunk]) -> None:
    """Texts the embedder refuses rest a day, then longer each time, instead of coming back with every sweep."""
    for chunk in KnowledgeChunk.objects.filter(pk__in=[chunk.pk for chunk in chunks]).only(
        "id", "tenant_id", "embed_failures"
    ):
        rest = timedelta(days=min(2**chunk.embed_failures, _LONGEST_REST_DAYS))
        KnowledgeChunk.objects.filter(pk=chunk.pk).update(
            embed_failures=min(chunk.embed_failures + 1, 100), embed_retry_at=now() + rest
        )
