"""From ranked chunk ids to passages with their pages and neighbours (contract §10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.retrieval.fusion import FusedHit

EXPANDED = 10
NEIGHBOR_CHARS = 600

Ranked = FusedHit[UUID, UUID]
_PAGE_FIELDS = (
    "id",
    "tenant_id",
    "title",
    "slug",
    "public_id",
    "is_public",
    "source_url",
    "source_type",
    "author_name",
    "audience_tiers",
)


@dataclass(frozen=True, kw_only=True)
class Passage:
    """One chunk that answers, with what a reader needs to judge and cite it."""

    page_title: str
    slug: str
    public_id: str
    is_public: bool
    source_url: str | None
    section: str | None
    text: str
    neighbors: tuple[str, ...]
    score: float
    source_type: str
    author_name: str | None


def load_passages(hits: Sequence[Ranked], *, audience: Audience) -> tuple[Passage, ...]:
    """The passages in the order of the hits. A page that left or was restricted meanwhile is left out."""
    chunks = {chunk.pk: chunk for chunk in _chunks([hit.key for hit in hits])}
    found = [
        (hit, chunks[hit.key])
        for hit in hits
        if hit.key in chunks and audience.admits(chunks[hit.key].knowledge_page)
    ]
    neighbors = _neighbors([chunk for _, chunk in found])
    return tuple(_passage(hit, chunk, neighbors.get(chunk.pk, ())) for hit, chunk in found)


def _chunks(ids: Sequence[UUID]) -> list[KnowledgeChunk]:
    rows = KnowledgeChunk.objects.filter(pk__in=ids).select_related("knowledge_page")
    pages = [f"knowledge_page__{name}" for name in _PAGE_FIELDS]
    return list(rows.only("id", "tenant_id", "chunk_index", "chunk_text", "metadata", *pages)) if ids else []


def _neighbors(found: Sequence[KnowledgeChunk]) -> dict[UUID, tuple[str, ...]]:
    """The chunks before and after each of the first hits, none of them twice."""
    expanded = found[:EXPANDED]
    if not expanded:
        return {}
    wanted = Q()
    for chunk in expanded:
        wanted |= Q(knowledge_page_id=chunk.knowledge_page_id, chunk_index__in=_beside(chunk.chunk_index))
    near = {
        (page, index): text
        for page, index, text in KnowledgeChunk.objects.filter(wanted)
        .exclude(pk__in=[chunk.pk for chunk in found])
        .values_list("knowledge_page_id", "chunk_index", "chunk_text")
    }
    return {chunk.pk: _take(near, chunk) for chunk in expanded}


def _take(near: dict[tuple[UUID, int], str], chunk: KnowledgeChunk) -> tuple[str, ...]:
    texts = [near.pop((chunk.knowledge_page_id, index), None) for index in _beside(chunk.chunk_index)]
    return tuple(text[:NEIGHBOR_CHARS] for text in texts if text)


def _beside(index: int) -> tuple[int, ...]:
    return (index - 1, index + 1) if index else (1,)


def _passage(hit: Ranked, chunk: KnowledgeChunk, neighbors: tuple[str, ...]) -> Passage:
    page = chunk.knowledge_page
    metadata: dict[str, Any] = chunk.metadata
    return Passage(
        page_title=page.title,
        slug=page.slug,
        public_id=page.public_id,
        is_public=page.is_public,
        source_url=page.source_url,
        section=metadata.get("section_heading"),
        text=chunk.chunk_text,
        neighbors=neighbors,
        score=hit.score,
        source_type=page.source_type,
        author_name=page.author_name,
    )
