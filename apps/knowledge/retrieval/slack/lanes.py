"""The lanes of a search in Slack, over messages and over distilled threads (contract §10.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.flight import Cut, Flight, Seen, seen
from apps.knowledge.retrieval.fusion import FusedHit, Hit, RankedLane, fuse
from apps.knowledge.retrieval.lanes import CorpusSize, corpus_size
from apps.knowledge.retrieval.rerank import Reranked
from apps.knowledge.retrieval.scope import tenant_scope
from apps.knowledge.retrieval.slack.asked import asked
from apps.knowledge.retrieval.slack.text_lane import TextLane, TextQuery, read_query, text_lane
from apps.knowledge.retrieval.starving import unstarved
from apps.knowledge.retrieval.tables import ARTIFACTS, MESSAGES, VectorTable
from apps.knowledge.retrieval.vector_lane import QueryVector, VectorLane, vector_lane

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

    ``short`` says that too many of the vectors it had to compare are not made yet.
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
    tables = (MESSAGES, ARTIFACTS) if artifacts else (MESSAGES,)
    sizes = {table.name: corpus_size(table) for table in tables}
    query = read_query(asked(question)) if "text" in lanes else None
    vectors = _vectors(embedded, sizes) if embedded and "vector" in lanes else {}
    texts = _texts(query, sizes) if query else {}
    rows = run_statements(
        [*(lane.statement for lane in vectors.values()), *(lane.statement for lane in texts.values())]
    )
    answers = {
        name: _answers(
            rows,
            vectors.get(name),
            texts.get(name),
            lanes=lanes,
            understood=query is not None and size is not None,
        )
        for name, size in sizes.items()
    }
    messages = answers[MESSAGES.name]
    if "recency" in lanes:
        messages |= _recency(messages)
    return LaneAnswers(messages, answers.get(ARTIFACTS.name, {}))


def _vectors(embedded: QueryVector, sizes: dict[str, CorpusSize | None]) -> dict[str, VectorLane]:
    limits = {MESSAGES.name: MESSAGE_LANE_LIMIT, ARTIFACTS.name: max(ARTIFACT_LIMIT, ARTIFACT_LANE_MIN)}
    return {
        table.name: vector_lane(
            embedded,
            size=size,
            scope=tenant_scope(),
            limit=limits[table.name],
            table=table,
            name=f"{table.name} vector",
        )
        for table, size in _known(sizes)
    }


def _texts(query: TextQuery, sizes: dict[str, CorpusSize | None]) -> dict[str, TextLane]:
    made: dict[str, TextLane | None] = {}
    for table, size in _known(sizes):
        named = f"{table.name} text"
        if table is MESSAGES:
            made[table.name] = text_lane(query, messages=size.rows, name=named)
        elif query.tsquery:
            made[table.name] = _artifact_text(query.tsquery, name=named)
    return {name: lane for name, lane in made.items() if lane}


def _known(sizes: dict[str, CorpusSize | None]) -> list[tuple[VectorTable, CorpusSize]]:
    both = [(table, sizes.get(table.name)) for table in (MESSAGES, ARTIFACTS)]
    return [(table, size) for table, size in both if size is not None]


def _artifact_text(tsquery: str, *, name: str) -> TextLane:
    scope, limit = tenant_scope(), max(ARTIFACT_LIMIT, ARTIFACT_LANE_MIN)
    statement = Statement(
        name=name,
        sql=_ARTIFACT_TEXT.format(
            source=ARTIFACTS.source, ref=ARTIFACTS.ref, scope=scope.condition, condition=ARTIFACTS.condition
        ),
        parameters={**scope.parameters, "tsquery": tsquery, "limit": limit},
    )
    return TextLane(statement=statement, limit=limit)


def _answers(
    rows: dict[str, list[Row] | None],
    vector: VectorLane | None,
    text: TextLane | None,
    *,
    lanes: Collection[LaneName],
    understood: bool,
) -> dict[str, SlackLane]:
    """Words first: where two hits weigh the same, what was said is the surer sign."""
    answers: dict[str, SlackLane] = {}
    if text:
        answers["text"] = SlackLane(rows=unstarved(rows[text.statement.name], text))
    elif "text" in lanes and not understood:
        answers["text"] = SlackLane(rows=None)
    if "vector" in lanes:
        answers["vector"] = _nearest(rows, vector) if vector else SlackLane(rows=None)
    return answers


def _nearest(rows: dict[str, list[Row] | None], lane: VectorLane) -> SlackLane:
    return SlackLane(rows=unstarved(rows[lane.statement.name], lane), walk=lane.plan, short=lane.short)


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


def flight_of(
    answers: LaneAnswers,
    *,
    fused: Sequence[Found] = (),
    cut: Sequence[Cut] = (),
    judged: Reranked | None = None,
) -> Flight:
    """What the lanes did, and what became of what they brought."""
    lanes = answers.all
    return Flight(
        lanes={name: lane.record() for name, lane in lanes.items()},
        walks={name: lane.walk for name, lane in lanes.items() if lane.walk},
        fused=seen([(hit.key, hit.score) for hit in fused]),
        reranked=judged.scores if judged else {},
        unknown_ids=judged.unknown if judged else 0,
        cut=cut,
    )
