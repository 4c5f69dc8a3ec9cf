"""Searching the knowledge base by meaning and by words at once (contract §10.2)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from apps.foundation.text import clean
from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge.audience import Audience
from apps.knowledge.indexing import embedder_key
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.fusion import Hit, RankedLane, cap_per_source, fuse
from apps.knowledge.retrieval.keyword import keyword_statement
from apps.knowledge.retrieval.lanes import choose_plan, corpus_size, vector_statement
from apps.knowledge.retrieval.passages import Passage, Ranked, load_passages

log = logging.getLogger(__name__)

__all__ = ["Passage", "SearchOutcome", "search_pages"]

DEFAULT_LIMIT = 25
MAX_LIMIT = 50
VECTOR_LANE_MIN = 30
CHUNKS_PER_PAGE = 3
MAX_QUERY_CHARS = 8_000
EMBED_SECONDS = 8.0

Status = Literal["found", "empty", "failed", "partial"]


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What a search found and how well it went.

    ``degraded`` names the lanes that gave no answer, ``dropped`` counts further hits that the cap of chunks a
    page and the limit left out. Only ``empty`` means that the search worked and nothing matched.
    """

    status: Status
    passages: tuple[Passage, ...] = ()
    degraded: tuple[str, ...] = ()
    ranking: str = "fused"
    dropped: int = 0


@dataclass(frozen=True)
class _Lane:
    """A lane's answer: its rows, None when it failed; ``short`` when what it had to search was not ready."""

    rows: list[Row] | None
    short: bool = False

    @property
    def degraded(self) -> bool:
        return self.rows is None or self.short


@dataclass(frozen=True)
class _Vector:
    values: list[float]
    embedder: str


def search_pages(query: str, *, audience: Audience, limit: int = DEFAULT_LIMIT) -> SearchOutcome:
    """The passages that answer a question best, as far as the asker may see them. Never raises for a bad query."""
    limit = min(max(limit, 1), MAX_LIMIT)
    question = clean(query)[:MAX_QUERY_CHARS].strip()
    lanes = _search(question, audience=audience, limit=limit)
    degraded = tuple(name for name, lane in lanes.items() if lane.degraded)
    if lanes and all(lane.rows is None for lane in lanes.values()):
        return SearchOutcome(status="failed", degraded=degraded)
    ranked = _fused(lanes)
    # A model that reads the candidates would reorder `ranked` here, before the cut.
    passages = load_passages(ranked[:limit], audience=audience)
    found: Status = "found" if passages else "empty"
    return SearchOutcome(
        status="partial" if degraded else found,
        passages=passages,
        degraded=degraded,
        dropped=_distinct(lanes) - len(passages),
    )


def _search(question: str, *, audience: Audience, limit: int) -> dict[str, _Lane]:
    """Runs the lanes that have something to look for."""
    if not question:
        return {}
    statements: list[Statement] = []
    vector = _embedded(question)
    size = corpus_size() if vector else None
    if vector and size:
        plan = choose_plan(size.of(vector.embedder), table=size.table)
        lane_limit = max(limit, VECTOR_LANE_MIN)
        statements.append(
            vector_statement(
                vector.values, embedder=vector.embedder, audience=audience, limit=lane_limit, plan=plan
            )
        )
    keyword = keyword_statement(question, audience=audience)
    if keyword:
        statements.append(keyword)
    rows = run_statements(statements)
    lanes = {"vector": _Lane(None)}
    if vector and size and (nearest := rows["vector"]) is not None:
        floor = profile_of(vector.embedder).floor
        relevant = [row for row in nearest if row[2] >= floor]
        lanes["vector"] = _Lane(relevant, short=not nearest and size.lacks(vector.embedder))
    if keyword:
        lanes["keyword"] = _Lane(rows["keyword"])
    return lanes


def _embedded(question: str) -> _Vector | None:
    """The question as a vector; None when no embedder answers or the question is nothing it could embed."""
    try:
        batch = embeddings.embed([question], purpose="search_embedding", timeout=EMBED_SECONDS)
    except LlmFailure as failure:
        log.warning("a question could not be embedded (%s)", failure.code)
        return None
    values = batch.vectors[0]
    return _Vector(values, embedder_key(batch.embedder)) if values else None


def _fused(lanes: dict[str, _Lane]) -> list[Ranked]:
    ranked = [RankedLane(name, _hits(lane.rows or ())) for name, lane in lanes.items()]
    return cap_per_source(fuse(ranked), source=lambda hit: hit.payload, limit=CHUNKS_PER_PAGE)


def _hits(rows: Sequence[Row]) -> list[Hit[UUID, UUID]]:
    return [Hit(key=row[0], payload=row[1]) for row in rows]


def _distinct(lanes: dict[str, _Lane]) -> int:
    return len({row[0] for lane in lanes.values() for row in lane.rows or ()})
