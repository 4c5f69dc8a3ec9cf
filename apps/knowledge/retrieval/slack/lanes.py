"""The lanes of a search in Slack, over messages and over distilled threads (contract §10.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.flight import Seen, seen
from apps.knowledge.retrieval.fusion import FusedHit, Hit, RankedLane, fuse
from apps.knowledge.retrieval.lanes import CorpusSize, choose_plan, corpus_size, vector_statement
from apps.knowledge.retrieval.page_lanes import QueryVector
from apps.knowledge.retrieval.scope import tenant_scope
from apps.knowledge.retrieval.slack.asked import asked
from apps.knowledge.retrieval.slack.text_lane import TextQuery, read_query, text_statement
from apps.knowledge.retrieval.tables import ARTIFACTS, MESSAGES, VectorTable

LaneName = Literal["vector", "text", "recency"]
ALL_LANES: tuple[LaneName, ...] = ("vector", "text", "recency")
MESSAGE_LANE_LIMIT = 100
ARTIFACT_LIMIT = 15
ARTIFACT_LANE_MIN = 30
RECENCY_WEIGHT = 0.4

_ARTIFACT_TEXT = """
SELECT k.id, {source}, ts_rank_cd(k.search_tsv, words, 32) AS rank, {ref}
FROM slack_thread_artifacts k, CAST(%(tsquery)s AS tsquery) AS words
WHERE {scope} AND {condition} AND k.search_tsv @@ words
ORDER BY rank DESC, k.id LIMIT %(limit)s
"""
_NEWEST = """
SELECT k.id, {source}, extract(epoch FROM k.message_date)::float8, {ref}
FROM processed_slack_messages k WHERE {scope} AND {condition} AND k.id = ANY(%(ids)s)
ORDER BY k.message_date DESC, k.id
"""


@dataclass(frozen=True)
class Spot:
    """What a lane knows of a row: its id, its thread, and its name in the flight record."""

    id: UUID
    thread: str
    ref: str


Found = FusedHit[str, Spot]


@dataclass(frozen=True, kw_only=True)
class SlackLane:
    """A lane's answer: rows of (id, thread, score, ref), None when it failed.

    ``short`` says that the vectors it had to compare are not made yet.
    """

    rows: Sequence[Row] | None
    walk: str = ""
    short: bool = False
    weight: float = 1.0

    @property
    def degraded(self) -> bool:
        return self.rows is None or self.short

    def ranked(self, name: str) -> RankedLane[str, Spot]:
        hits = [Hit(row[3], Spot(row[0], row[1], row[3])) for row in self.rows or ()]
        return RankedLane(name, hits, weight=self.weight)

    def record(self) -> Sequence[Seen] | None:
        return None if self.rows is None else seen([(row[3], row[2]) for row in self.rows])


@dataclass(frozen=True)
class LaneAnswers:
    """The lanes of messages and those of distilled threads, by name."""

    messages: dict[str, SlackLane]
    artifacts: dict[str, SlackLane]

    @property
    def all(self) -> dict[str, SlackLane]:
        return {**self.messages, **{f"artifact_{name}": lane for name, lane in self.artifacts.items()}}

    @property
    def searched(self) -> bool:
        """Did any lane that looks for something answer?"""
        looked = [lane for name, lane in self.all.items() if name != "recency"]
        return not looked or any(lane.rows is not None for lane in looked)

    def fused_messages(self) -> list[Found]:
        return fuse([lane.ranked(name) for name, lane in self.messages.items()])

    def fused_artifacts(self) -> list[Found]:
        return fuse([lane.ranked(name) for name, lane in self.artifacts.items()])


def search_lanes(
    question: str,
    embedded: QueryVector | None,
    *,
    lanes: Collection[LaneName] = ALL_LANES,
    artifacts: bool = True,
) -> LaneAnswers:
    """Runs the lanes that have something to look for; without a vector the vector lanes have failed."""
    if not question:
        return LaneAnswers({}, {})
    sizes = {
        table.name: corpus_size(table) for table in ((MESSAGES, ARTIFACTS) if artifacts else (MESSAGES,))
    }
    query = read_query(asked(question)) if "text" in lanes else None
    statements = [
        *(_vectors(embedded, sizes) if "vector" in lanes else ()),
        *(_texts(query, sizes) if query else ()),
    ]
    rows = run_statements(statements)
    messages = _answers(MESSAGES, rows, embedded, sizes, lanes=lanes, understood=query is not None)
    if "recency" in lanes:
        messages |= _recency(messages)
    if not artifacts:
        return LaneAnswers(messages, {})
    return LaneAnswers(
        messages, _answers(ARTIFACTS, rows, embedded, sizes, lanes=lanes, understood=query is not None)
    )


def _vectors(embedded: QueryVector | None, sizes: dict[str, CorpusSize | None]) -> list[Statement]:
    limits = {MESSAGES.name: MESSAGE_LANE_LIMIT, ARTIFACTS.name: max(ARTIFACT_LIMIT, ARTIFACT_LANE_MIN)}
    if embedded is None:
        return []
    return [
        vector_statement(
            embedded.values,
            embedder=embedded.embedder,
            scope=tenant_scope(),
            limit=limits[table.name],
            plan=choose_plan(size.of(embedded.embedder), table=size.table),
            table=table,
            name=f"{table.name} vector",
        )
        for table, size in _known(sizes)
    ]


def _texts(query: TextQuery, sizes: dict[str, CorpusSize | None]) -> list[Statement]:
    made = []
    for table, size in _known(sizes):
        if table is MESSAGES:
            text = text_statement(query, messages=size.rows)
            made += [replace(text, name=f"{table.name} text")] if text else []
        elif query.tsquery:
            made.append(_artifact_text(query.tsquery))
    return made


def _known(sizes: dict[str, CorpusSize | None]) -> list[tuple[VectorTable, CorpusSize]]:
    both = [(table, sizes.get(table.name)) for table in (MESSAGES, ARTIFACTS)]
    return [(table, size) for table, size in both if size is not None]


def _artifact_text(tsquery: str) -> Statement:
    scope = tenant_scope()
    return Statement(
        name=f"{ARTIFACTS.name} text",
        sql=_ARTIFACT_TEXT.format(
            source=ARTIFACTS.source, ref=ARTIFACTS.ref, scope=scope.condition, condition=ARTIFACTS.condition
        ),
        parameters={
            **scope.parameters,
            "tsquery": tsquery,
            "limit": max(ARTIFACT_LIMIT, ARTIFACT_LANE_MIN),
        },
    )


def _answers(
    table: VectorTable,
    rows: dict[str, list[Row] | None],
    embedded: QueryVector | None,
    sizes: dict[str, CorpusSize | None],
    *,
    lanes: Collection[LaneName],
    understood: bool,
) -> dict[str, SlackLane]:
    """Words first: where two hits weigh the same, what was said is the surer sign."""
    size = sizes[table.name]
    answers: dict[str, SlackLane] = {}
    named = f"{table.name} text"
    if "text" in lanes and (named in rows or not understood or size is None):
        answers["text"] = SlackLane(rows=rows.get(named))
    if "vector" in lanes:
        nearest = rows.get(f"{table.name} vector")
        walk = choose_plan(size.of(embedded.embedder), table=size.table) if size and embedded else ""
        short = bool(nearest == [] and size and embedded and size.lacks(embedded.embedder))
        answers["vector"] = SlackLane(rows=nearest, walk=walk, short=short)
    return answers


def _recency(lanes: dict[str, SlackLane]) -> dict[str, SlackLane]:
    """All that the other lanes found, newest first; it finds nothing of its own."""
    ids = {row[0] for lane in lanes.values() for row in lane.rows or ()}
    if not ids:
        return {}
    scope = tenant_scope()
    newest = Statement(
        name="recency",
        sql=_NEWEST.format(
            source=MESSAGES.source, ref=MESSAGES.ref, scope=scope.condition, condition=MESSAGES.condition
        ),
        parameters={**scope.parameters, "ids": list(ids)},
    )
    return {"recency": SlackLane(rows=run_statements([newest])["recency"], weight=RECENCY_WEIGHT)}
