"""Searching a community's Slack talk: messages and distilled threads in one list (contract §10.3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID

from apps.foundation.text import clean
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.flight import Cut, CutReason, Flight, seen
from apps.knowledge.retrieval.fusion import Hit, RankedLane, cap_per_source, fuse
from apps.knowledge.retrieval.page_lanes import QueryVector, embed_query
from apps.knowledge.retrieval.rerank import Candidate, Reranked
from apps.knowledge.retrieval.rerank import rerank as reread
from apps.knowledge.retrieval.slack.lanes import (
    ALL_LANES,
    ARTIFACT_LIMIT,
    Found,
    LaneAnswers,
    LaneName,
    search_lanes,
)
from apps.knowledge.retrieval.slack.linked import Linked, linked_messages
from apps.knowledge.retrieval.slack.matches import SlackMatch, load_matches, with_parents
from apps.knowledge.retrieval.slack.permalinks import permalinks_in, without_permalinks

MAX_LIMIT = 50
PER_THREAD = 2
RERANK_WINDOW = 30
MAX_QUERY_CHARS = 8_000

Status = Literal["found", "empty", "failed", "partial"]
Ranking = Literal["fused", "reranked"]


@dataclass(frozen=True, kw_only=True)
class SlackOutcome:
    """What a search in Slack found and how well it went; the fields mean what they mean for pages.

    ``loose``: no word of the question stands anywhere, and the nearest message is further away than what usually
    answers a question.
    """

    status: Status
    matches: tuple[SlackMatch, ...] = ()
    degraded: tuple[str, ...] = ()
    ranking: Ranking = "fused"
    dropped: int = 0
    loose: bool = False
    flight: Flight = field(default_factory=Flight, repr=False)


@dataclass(frozen=True, kw_only=True)
class _Order:
    kept: Sequence[Found]
    cut: Sequence[Found] = ()
    judged: Reranked | None = None


def search_messages(
    query: str, *, limit: int = MAX_LIMIT, rerank: bool = True, lanes: Collection[LaneName] = ALL_LANES
) -> SlackOutcome:
    """What the community said in public about something; messages it links to come first, as Slack has them now.

    Never raises for a bad query.
    """
    asked = clean(query)[:MAX_QUERY_CHARS].strip()
    limit = min(max(limit, 1), MAX_LIMIT)
    linked = linked_messages(permalinks_in(asked))
    question = without_permalinks(asked)
    embedded = embed_query(question) if question and "vector" in lanes else None
    found = search_embedded(question, embedded, limit=limit, rerank=rerank, lanes=lanes)
    return _led_by(linked, found, limit=limit)


def search_embedded(
    question: str,
    embedded: QueryVector | None,
    *,
    limit: int = MAX_LIMIT,
    rerank: bool = False,
    lanes: Collection[LaneName] = ALL_LANES,
) -> SlackOutcome:
    """The search from the question's vector on; without one the vector lanes have failed."""
    answers = search_lanes(question, embedded, lanes=lanes)
    degraded = tuple(name for name, lane in answers.all.items() if lane.degraded)
    if not answers.searched:
        return SlackOutcome(status="failed", degraded=degraded, flight=_flight(answers))
    artifacts = answers.fused_artifacts()
    fused = _joined(answers.fused_messages(), artifacts[:ARTIFACT_LIMIT])
    capped = cap_per_source(fused, source=lambda hit: hit.payload.thread, limit=PER_THREAD)
    window = max(limit, RERANK_WINDOW) if rerank else limit
    known = load_matches(hit.payload.id for hit in capped[:window])
    order = _ordered(question, capped, known=known, limit=limit, rerank=rerank)
    if rerank:
        # The model took its time: what was withdrawn meanwhile is not shown.
        known = load_matches(hit.payload.id for hit in order.kept)
    shown = [(hit, known[hit.payload.id]) for hit in order.kept if hit.payload.id in known]
    matches = with_parents([replace(match, relevance_score=hit.score) for hit, match in shown])
    found: Status = "found" if matches else "empty"
    return SlackOutcome(
        status="partial" if degraded else found,
        matches=tuple(matches),
        degraded=degraded,
        ranking="reranked" if order.judged else "fused",
        dropped=len(fused) + len(artifacts[ARTIFACT_LIMIT:]) - len(matches),
        loose=_is_loose(answers, embedded),
        flight=_flight(
            answers, fused=fused, capped=capped, beyond=artifacts[ARTIFACT_LIMIT:], order=order, known=known
        ),
    )


def _led_by(linked: Linked, found: SlackOutcome, *, limit: int) -> SlackOutcome:
    if not linked.matches and not linked.unanswered:
        return found
    refs = {match.ref for match in linked.matches}
    rest = [match for match in found.matches if match.ref not in refs]
    matches = (*linked.matches, *rest)[:limit]
    lanes = {"permalink": seen([(match.ref, match.relevance_score) for match in linked.matches])}
    cut = [Cut(match.ref, "limit") for match in (*linked.matches, *rest)[limit:]]
    status = found.status if found.status != "empty" else "found" if matches else "empty"
    return replace(
        found,
        status="partial" if linked.unanswered or (matches and status == "failed") else status,
        matches=matches,
        degraded=(*found.degraded, *(["permalink"] if linked.unanswered else [])),
        dropped=found.dropped + len(cut),
        loose=found.loose and not linked.matches,
        flight=replace(found.flight, lanes={**lanes, **found.flight.lanes}, cut=[*found.flight.cut, *cut]),
    )


def _joined(messages: Sequence[Found], artifacts: Sequence[Found]) -> list[Found]:
    """Both lists by rank; a message decides ties."""
    lists = {"messages": messages, "artifacts": artifacts}
    return fuse(
        [RankedLane(name, [Hit(hit.key, hit.payload) for hit in hits]) for name, hits in lists.items()]
    )


def _ordered(
    question: str, capped: Sequence[Found], *, known: Mapping[UUID, SlackMatch], limit: int, rerank: bool
) -> _Order:
    """The model's order of the first thirty, then the fused one."""
    window = [hit for hit in capped[:RERANK_WINDOW] if hit.payload.id in known] if rerank else []
    judged = reread(
        question,
        [Candidate(hit.key, known[hit.payload.id].text) for hit in window],
        window=RERANK_WINDOW,
    )
    if judged is None:
        return _Order(kept=capped[:limit], cut=capped[limit:])
    by_key = {hit.key: hit for hit in window}
    first = [by_key[key] for key in judged.order]
    whole = [*first, *(hit for hit in capped if hit.key not in by_key)]
    return _Order(kept=whole[:limit], cut=whole[limit:], judged=judged)


def _is_loose(answers: LaneAnswers, embedded: QueryVector | None) -> bool:
    texts = [answers.messages.get("text"), answers.artifacts.get("text")]
    if embedded is None or any(lane is not None and lane.rows != [] for lane in texts):
        return False
    vectors = [answers.messages.get("vector"), answers.artifacts.get("vector")]
    nearest = [row[2] for lane in vectors if lane for row in (lane.rows or ())[:1]]
    return max(nearest, default=0.0) < profile_of(embedded.embedder).floor


def _flight(
    answers: LaneAnswers,
    *,
    fused: Sequence[Found] = (),
    capped: Sequence[Found] = (),
    beyond: Sequence[Found] = (),
    order: _Order | None = None,
    known: Mapping[UUID, SlackMatch] | None = None,
) -> Flight:
    kept = {hit.key for hit in capped}
    order = order or _Order(kept=())
    cut = [
        *_cuts(beyond, "limit"),
        *_cuts([hit for hit in fused if hit.key not in kept], "source_cap"),
        *_cuts(order.cut, "limit"),
        *_cuts([hit for hit in order.kept if hit.payload.id not in (known or {})], "gone"),
    ]
    lanes = answers.all
    return Flight(
        lanes={name: lane.record() for name, lane in lanes.items()},
        walks={name: lane.walk for name, lane in lanes.items() if lane.walk},
        fused=seen([(hit.key, hit.score) for hit in fused]),
        reranked=order.judged.scores if order.judged else {},
        unknown_ids=order.judged.unknown if order.judged else 0,
        cut=cut,
    )


def _cuts(hits: Sequence[Found], why: CutReason) -> list[Cut]:
    return [Cut(hit.key, why) for hit in hits]
