"""The lanes of a search in pages: what runs, and what came of it (contract §10.2)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal
from uuid import UUID

from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge.audience import Audience
from apps.knowledge.embedding import embedder_key
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.flight import Cut, Seen, seen
from apps.knowledge.retrieval.fusion import Hit, RankedLane
from apps.knowledge.retrieval.keyword import KeywordLane, keyword_lane
from apps.knowledge.retrieval.lanes import choose_plan, corpus_size, vector_statement
from apps.knowledge.retrieval.passages import Place
from apps.knowledge.retrieval.scope import chunk_scope

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


@dataclass(frozen=True)
class QueryVector:
    """A question as a vector, and whose vectors it may be compared with."""

    values: Sequence[float]
    embedder: str


@dataclass(frozen=True)
class _VectorLane:
    """The statement of the lane; ``wider`` misses nothing, for an asker whose rows the graph's walk passes by."""

    statement: Statement
    plan: str
    floor: float
    short: bool
    limit: int
    wider: Statement | None = None

    def starved(self, rows: Sequence[Row]) -> bool:
        """Did the walk end before it had found enough that the asker may see?"""
        return len(rows) < self.limit


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
    vector = _vector_lane(embedded, audience=audience, limit=limit) if embedded else None
    keyword = keyword_lane(question, scope=scope) if "keyword" in lanes else None
    rows = run_statements([lane.statement for lane in (vector, keyword) if lane])
    # Where two hits weigh the same, the lane named first decides: words that were said are the surer sign.
    answers: dict[str, Lane] = {}
    if keyword:
        answers["keyword"] = Lane(rows=_unstarved(rows["keyword"], keyword), walk=keyword.ranking)
    if "vector" in lanes:
        answers["vector"] = (
            _above_floor(_unstarved(rows["vector"], vector), vector) if vector else Lane(rows=None)
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


def _vector_lane(embedded: QueryVector, *, audience: Audience, limit: int) -> _VectorLane | None:
    size = corpus_size()
    if size is None:
        return None
    plan = choose_plan(size.of(embedded.embedder), table=size.table)
    most = max(limit, VECTOR_LANE_MIN)
    walk = partial(
        vector_statement,
        embedded.values,
        embedder=embedded.embedder,
        scope=chunk_scope(audience),
        limit=most,
    )
    return _VectorLane(
        statement=walk(plan=plan),
        plan=plan,
        floor=profile_of(embedded.embedder).floor,
        short=size.lacks(embedded.embedder),
        limit=most,
        wider=walk(plan="bits") if plan == "graph" else None,
    )


def _above_floor(nearest: Sequence[Row] | None, lane: _VectorLane) -> Lane:
    if nearest is None:
        return Lane(rows=None, walk=lane.plan)
    relevant = [row for row in nearest if row[2] >= lane.floor]
    return Lane(
        rows=relevant,
        walk=lane.plan,
        short=lane.short,
        floored=nearest[len(relevant) :],
    )


def _unstarved(rows: Sequence[Row] | None, lane: KeywordLane | _VectorLane) -> Sequence[Row] | None:
    if rows is None or lane.wider is None or not lane.starved(rows):
        return rows
    wider = run_statements([lane.wider])[lane.wider.name]
    return rows if wider is None else wider
