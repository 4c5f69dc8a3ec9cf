"""The lanes of a search in pages: what runs, and what came of it (contract §10.2)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge.audience import Audience
from apps.knowledge.embedding import embedder_key
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.execution import Row, run_statements
from apps.knowledge.retrieval.flight import Cut, Seen, seen
from apps.knowledge.retrieval.fusion import Hit, RankedLane
from apps.knowledge.retrieval.keyword import keyword_lane
from apps.knowledge.retrieval.lanes import corpus_size
from apps.knowledge.retrieval.passages import Place
from apps.knowledge.retrieval.scope import Scope, chunk_scope
from apps.knowledge.retrieval.starving import unstarved
from apps.knowledge.retrieval.vector_lane import QueryVector, VectorLane, vector_lane

log = logging.getLogger(__name__)

LaneName = Literal["vector", "keyword"]
BOTH_LANES: tuple[LaneName, ...] = ("vector", "keyword")
VECTOR_LANE_MIN = 30
EMBED_SECONDS = 8.0


@dataclass(frozen=True, kw_only=True)
class Lane:
    """A lane's answer: its rows of (chunk, page, score, ref), None when it failed.

    ``short`` says that too much of what it had to search was not ready, ``floored`` holds what was too far away.
    """

    rows: Sequence[Row] | None
    walk: str = ""
    short: bool = False
    floored: Sequence[Row] = ()

    @property
    def degraded(self) -> bool:
        return self.rows is None or self.short

    def ranked(self, name: str) -> RankedLane[UUID, Place]:
        return RankedLane(name, [Hit(row[0], Place(row[1], row[3])) for row in self.rows or ()])

    def record(self) -> Sequence[Seen] | None:
        return None if self.rows is None else seen([(row[3], row[2]) for row in self.rows])

    def cuts(self) -> list[Cut]:
        return [Cut(row[3], "floor") for row in self.floored]


def search_lanes(
    question: str,
    embedded: QueryVector | None,
    *,
    audience: Audience,
    limit: int,
    lanes: Collection[LaneName] = BOTH_LANES,
) -> dict[str, Lane]:
    """Runs the lanes that have something to look for; without a vector the vector lane has failed.

    A question without a word leaves the keyword lane out, an empty one leaves out both.
    """
    if not question:
        return {}
    scope = chunk_scope(audience)
    vector = _vector_lane(embedded, scope=scope, limit=limit) if embedded else None
    keyword = keyword_lane(question, scope=scope) if "keyword" in lanes else None
    rows = run_statements([lane.statement for lane in (vector, keyword) if lane])
    # Where two hits weigh the same, the lane named first decides: words that were said are the surer sign.
    answers: dict[str, Lane] = {}
    if keyword:
        answers["keyword"] = Lane(rows=unstarved(rows["keyword"], keyword), walk=keyword.ranking)
    if "vector" in lanes:
        answers["vector"] = (
            _above_floor(unstarved(rows["vector"], vector), vector, floor=profile_of(embedded.embedder).floor)
            if vector and embedded
            else Lane(rows=None)
        )
    return answers


def embed_query(question: str) -> QueryVector | None:
    """The question as a vector; None when no embedder answers or the question is nothing it could embed."""
    try:
        batch = embeddings.embed([question], purpose="search_embedding", timeout=EMBED_SECONDS)
    except LlmFailure as failure:
        log.warning("a question could not be embedded (%s)", failure.code)
        return None
    values = batch.vectors[0]
    return QueryVector(values, embedder_key(batch.embedder)) if values else None


def _vector_lane(embedded: QueryVector, *, scope: Scope, limit: int) -> VectorLane | None:
    size = corpus_size()
    if size is None:
        return None
    return vector_lane(embedded, size=size, scope=scope, limit=max(limit, VECTOR_LANE_MIN))


def _above_floor(nearest: Sequence[Row] | None, lane: VectorLane, *, floor: float) -> Lane:
    if nearest is None:
        return Lane(rows=None, walk=lane.plan)
    relevant = [row for row in nearest if row[2] >= floor]
    return Lane(
        rows=relevant,
        walk=lane.plan,
        short=lane.short,
        floored=nearest[len(relevant) :],
    )
