"""Searching the knowledge base by meaning and by words at once (contract §10.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from apps.foundation.text import clean
from apps.knowledge.audience import Audience
from apps.knowledge.retrieval.chunk_rows import FoundChunk, load_chunks
from apps.knowledge.retrieval.flight import Cut, CutReason, Flight, seen
from apps.knowledge.retrieval.fusion import cap_per_source, fuse
from apps.knowledge.retrieval.page_lanes import (
    BOTH_LANES,
    Lane,
    LaneName,
    QueryVector,
    embed_query,
    search_lanes,
)
from apps.knowledge.retrieval.passages import Passage, Ranked, passages_of
from apps.knowledge.retrieval.rerank import Candidate, Reranked, rerank

__all__ = ["Passage", "SearchOutcome", "search_pages"]

DEFAULT_LIMIT = 25
MAX_LIMIT = 50
CHUNKS_PER_PAGE = 3
MAX_QUERY_CHARS = 8_000
RERANK_WINDOW = 20
RERANK_KEEP = 12

Status = Literal["found", "empty", "failed", "partial"]
Ranking = Literal["fused", "reranked"]


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What a search found and how well it went.

    ``degraded`` names the lanes that gave no answer, ``dropped`` counts further hits that the cap of chunks a
    page, the reranking and the limit left out. Only ``empty`` means that the search worked and nothing matched.
    """

    status: Status
    passages: tuple[Passage, ...] = ()
    degraded: tuple[str, ...] = ()
    ranking: Ranking = "fused"
    dropped: int = 0
    flight: Flight = field(default_factory=Flight, repr=False)


@dataclass(frozen=True, kw_only=True)
class _Order:
    """The hits in the order they are shown, those the model reread them into or the fused ones."""

    kept: Sequence[Ranked]
    cut: Sequence[Cut]
    judged: Reranked | None = None


def search_pages(
    query: str,
    *,
    audience: Audience,
    limit: int = DEFAULT_LIMIT,
    rerank: bool = True,
    lanes: Collection[LaneName] = BOTH_LANES,
) -> SearchOutcome:
    """The passages that answer a question best, as far as the asker may see them. Never raises for a bad query."""
    question = clean(query)[:MAX_QUERY_CHARS].strip()
    embedded = embed_query(question) if question and "vector" in lanes else None
    return search_embedded(
        question, embedded, audience=audience, limit=min(max(limit, 1), MAX_LIMIT), reread=rerank, lanes=lanes
    )


def search_embedded(
    question: str,
    embedded: QueryVector | None,
    *,
    audience: Audience,
    limit: int = DEFAULT_LIMIT,
    reread: bool = False,
    lanes: Collection[LaneName] = BOTH_LANES,
) -> SearchOutcome:
    """The search from the question's vector on; without one the vector lane has failed."""
    answers = search_lanes(question, embedded, audience=audience, limit=limit, lanes=lanes)
    return _outcome(question, answers, audience=audience, limit=limit, reread=reread)


def _outcome(
    question: str, answers: dict[str, Lane], *, audience: Audience, limit: int, reread: bool
) -> SearchOutcome:
    degraded = tuple(name for name, lane in answers.items() if lane.degraded)
    if answers and all(lane.rows is None for lane in answers.values()):
        return SearchOutcome(status="failed", degraded=degraded, flight=_flight(answers))
    fused = fuse([lane.ranked(name) for name, lane in answers.items()])
    capped = cap_per_source(fused, source=lambda hit: hit.payload.page, limit=CHUNKS_PER_PAGE)
    window = max(limit, RERANK_WINDOW) if reread else limit
    chunks = load_chunks([hit.key for hit in capped[:window]], audience=audience)
    order = _ordered(question, capped, chunks=chunks, limit=limit, reread=reread)
    if reread:
        # The model took its time: what was closed or deleted meanwhile is not shown.
        chunks = load_chunks([hit.key for hit in order.kept], audience=audience)
    passages = passages_of(order.kept, chunks=chunks)
    found: Status = "found" if passages else "empty"
    return SearchOutcome(
        status="partial" if degraded else found,
        passages=passages,
        degraded=degraded,
        ranking="reranked" if order.judged else "fused",
        dropped=len(fused) - len(passages),
        flight=_flight(answers, fused=fused, capped=capped, order=order, chunks=chunks),
    )


def _ordered(
    question: str,
    capped: Sequence[Ranked],
    *,
    chunks: Mapping[UUID, FoundChunk],
    limit: int,
    reread: bool,
) -> _Order:
    """The model's order of the first hits, or the fused one where it has none."""
    readable = {str(hit.key): hit for hit in capped if hit.key in chunks} if reread else {}
    candidates = [Candidate(key, _readable(chunks[hit.key])) for key, hit in readable.items()]
    judged = rerank(question, candidates, window=RERANK_WINDOW)
    if judged is None:
        return _Order(kept=capped[:limit], cut=[Cut(hit.payload.ref, "limit") for hit in capped[limit:]])
    kept = [readable[key] for key in judged.order[: min(limit, RERANK_KEEP)]]
    chosen = {hit.key for hit in kept}
    cut = [Cut(hit.payload.ref, _why(hit, judged)) for hit in capped if hit.key not in chosen]
    return _Order(kept=kept, cut=cut, judged=judged)


def _why(hit: Ranked, judged: Reranked) -> CutReason:
    return "rerank" if str(hit.key) in judged.scores else "window"


def _readable(chunk: FoundChunk) -> str:
    return f"{chunk.title}\n{chunk.text}"


def _flight(
    answers: Mapping[str, Lane],
    *,
    fused: Sequence[Ranked] = (),
    capped: Sequence[Ranked] = (),
    order: _Order | None = None,
    chunks: Mapping[UUID, FoundChunk] | None = None,
) -> Flight:
    kept = {hit.key for hit in capped}
    found = {hit.payload.ref for hit in fused}
    cut = [cut for lane in answers.values() for cut in lane.cuts() if cut.ref not in found]
    cut += [Cut(hit.payload.ref, "source_cap") for hit in fused if hit.key not in kept]
    judged = order.judged if order else None
    if order:
        cut += order.cut
        cut += [Cut(hit.payload.ref, "gone") for hit in order.kept if hit.key not in (chunks or {})]
    refs = {str(hit.key): hit.payload.ref for hit in fused}
    return Flight(
        lanes={name: lane.record() for name, lane in answers.items()},
        walks={name: lane.walk for name, lane in answers.items() if lane.walk},
        fused=seen([(hit.payload.ref, hit.score) for hit in fused]),
        reranked={refs[key]: score for key, score in judged.scores.items()} if judged else {},
        unknown_ids=judged.unknown if judged else 0,
        cut=cut,
    )
