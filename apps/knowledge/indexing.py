"""Chunks of pages: cut and written in the page's transaction, without vectors (contract §11.3).

The vectors are made outside any transaction, by ``embedding``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from apps.knowledge.chunking import chunk_html
from apps.knowledge.embedding import BATCH, EmbeddingRun, embed_waiting, embedder_key, has_waiting
from apps.knowledge.embedding_kinds import CHUNKS, KindName, kind_of
from apps.knowledge.models import KnowledgeChunk, KnowledgePage

__all__ = [
    "EmbeddingRun",
    "chunk_metadata",
    "embed_pending",
    "embed_pending_rows",
    "embedder_key",
    "is_waiting",
    "refresh_metadata",
    "replace_chunks",
]

# More than this at once is left to the sweep, so that saving a book does not take minutes.
INLINE_CHUNKS = 300
# A title of any length is stored; its start is enough for searching and keeps the text embeddable.
INDEXED_TITLE_CHARS = 300


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
    rows = None if page is None else KnowledgeChunk.objects.filter(knowledge_page=page)
    return embed_waiting(CHUNKS, rows=rows, limit=limit, current=current)


def embed_pending_rows(
    kind: KindName,
    *,
    ids: Collection[UUID] | None = None,
    limit: int | None = None,
    current: str | None = None,
) -> EmbeddingRun:
    """The same for any kind of row, all that wait or those with these ids: one batch unless told otherwise."""
    what = kind_of(kind)
    rows = None if ids is None else what.model.objects.filter(pk__in=ids)
    return embed_waiting(what, rows=rows, limit=limit or what.batch, current=current)


def is_waiting(kind: KindName = "chunks") -> bool:
    """Is there a row of the current tenant that has no vector and may be tried now?"""
    return has_waiting(kind_of(kind))
