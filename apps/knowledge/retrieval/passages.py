"""From ranked chunks to passages with their pages and neighbours (contract §10.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.knowledge.retrieval.chunk_rows import FoundChunk
from apps.knowledge.retrieval.fusion import FusedHit
from apps.knowledge.retrieval.neighbors import texts_at

EXPANDED = 10
NEIGHBOR_CHARS = 600


@dataclass(frozen=True)
class Place:
    """What a lane knows of a chunk: its page, and its name in the flight record."""

    page: UUID
    ref: str


Ranked = FusedHit[UUID, Place]


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


def passages_of(hits: Sequence[Ranked], *, chunks: Mapping[UUID, FoundChunk]) -> tuple[Passage, ...]:
    """The passages of those hits that are among the chunks, in the order of the hits."""
    found = [(hit, chunks[hit.key]) for hit in hits if hit.key in chunks]
    neighbors = _neighbors([chunk for _, chunk in found])
    return tuple(_passage(hit, chunk, neighbors.get(chunk.id, ())) for hit, chunk in found)


def _neighbors(found: Sequence[FoundChunk]) -> dict[UUID, tuple[str, ...]]:
    """The chunks before and after each of the first hits, none of them twice."""
    expanded = found[:EXPANDED]
    spots = {(chunk.page, index) for chunk in expanded for index in _beside(chunk.index)}
    near = texts_at(list(spots), besides=[chunk.id for chunk in found], chars=NEIGHBOR_CHARS)
    return {chunk.id: _take(near, chunk) for chunk in expanded}


def _take(near: dict[tuple[UUID, int], str], chunk: FoundChunk) -> tuple[str, ...]:
    texts = [near.pop((chunk.page, index), None) for index in _beside(chunk.index)]
    return tuple(text for text in texts if text)


def _beside(index: int) -> tuple[int, ...]:
    return (index - 1, index + 1) if index else (1,)


def _passage(hit: Ranked, chunk: FoundChunk, neighbors: tuple[str, ...]) -> Passage:
    return Passage(
        page_title=chunk.title,
        slug=chunk.slug,
        public_id=chunk.public_id,
        is_public=chunk.is_public,
        source_url=chunk.source_url,
        section=chunk.section,
        text=chunk.text,
        neighbors=neighbors,
        score=hit.score,
        source_type=chunk.source_type,
        author_name=chunk.author_name,
    )
