"""Who knows about something: authors of the messages that answer it, without a model's word (contract §5.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from apps.foundation.clock import now
from apps.foundation.text import clean
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.page_lanes import QueryVector, embed_query
from apps.knowledge.retrieval.slack.lanes import Found, LaneAnswers, search_lanes
from apps.knowledge.retrieval.slack.matches import SlackMatch, load_matches

DEFAULT_LIMIT: Final = 5
MAX_LIMIT: Final = 20
MAX_TOPIC_CHARS: Final = 2_000
HALF_LIFE_DAYS: Final = 180.0
# So many of somebody's messages count: knowing a thing is not talking most.
COUNTED: Final = 5
EVIDENCE: Final = 3

Status = Literal["found", "empty", "failed", "partial"]


@dataclass(frozen=True, kw_only=True)
class Expert:
    """Somebody who wrote about a topic; ``evidence`` are the messages that speak most for it."""

    user_id: str
    name: str
    score: float
    messages: int
    last_at: datetime | None
    evidence: tuple[SlackMatch, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class ExpertsOutcome:
    status: Status
    experts: tuple[Expert, ...] = ()
    degraded: tuple[str, ...] = ()


def who_knows(topic: str, *, limit: int = DEFAULT_LIMIT, without: str | None = None) -> ExpertsOutcome:
    """The people whose messages fit a topic best, newer ones counting more; not the one who asks (``without``)."""
    question = clean(topic)[:MAX_TOPIC_CHARS].strip()
    embedded = embed_query(question) if question else None
    answers = search_lanes(question, embedded, artifacts=False)
    degraded = tuple(name for name, lane in answers.all.items() if lane.degraded)
    if not answers.searched:
        return ExpertsOutcome(status="failed", degraded=degraded)
    hits = _fitting(answers, embedded)
    messages = load_matches(hit.payload.id for hit in hits)
    experts = _ranked(hits, messages, without=without)[: min(max(limit, 1), MAX_LIMIT)]
    found: Status = "found" if experts else "empty"
    return ExpertsOutcome(status="partial" if degraded else found, experts=tuple(experts), degraded=degraded)


def _fitting(answers: LaneAnswers, embedded: QueryVector | None) -> list[Found]:
    """Without those that are only the nearest of what is far away: nobody is named for them."""
    floor = profile_of(embedded.embedder).floor if embedded else 0.0
    text, vector = (answers.messages.get(name) for name in ("text", "vector"))
    fitting = {row[3] for row in (text.rows if text else None) or ()}
    fitting |= {row[3] for row in (vector.rows if vector else None) or () if row[2] >= floor}
    return [hit for hit in answers.fused_messages() if hit.key in fitting]


def _ranked(
    hits: Sequence[Found], messages: Mapping[UUID, SlackMatch], *, without: str | None
) -> list[Expert]:
    moment = now()
    said: defaultdict[str, list[tuple[float, SlackMatch]]] = defaultdict(list)
    for hit in hits:
        message = messages.get(hit.payload.id)
        if message is not None and message.user_id and message.user_id != without:
            said[message.user_id].append((hit.score * _freshness(message.date, moment), message))
    experts = [_expert(author, weighed) for author, weighed in said.items()]
    return sorted(experts, key=lambda expert: -expert.score)


def _expert(author: str, weighed: list[tuple[float, SlackMatch]]) -> Expert:
    best = sorted(weighed, key=lambda pair: -pair[0])
    messages = [message for _, message in best]
    return Expert(
        user_id=author,
        name=next((message.user_name for message in messages if message.user_name), author),
        score=sum(score for score, _ in best[:COUNTED]),
        messages=len(messages),
        last_at=max((message.date for message in messages if message.date), default=None),
        evidence=tuple(messages[:EVIDENCE]),
    )


def _freshness(written: datetime | None, moment: datetime) -> float:
    age = (moment - written).total_seconds() / 86_400 if written else HALF_LIFE_DAYS
    return float(0.5 ** (max(age, 0.0) / HALF_LIFE_DAYS))
