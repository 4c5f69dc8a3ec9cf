"""From ranked rows to messages and summaries as a reader gets them (contract §10.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Left

from apps.knowledge.models import ProcessedSlackMessage, SlackThreadArtifact

Kind = Literal["message", "thread_summary", "author_burst"]
PARENT_CHARS = 500
WITH_PARENTS = 10
# Longer ones exist (a pasted log); nobody gets to read more than this of one.
TEXT_CHARS = 4_000

_MESSAGE = (
    "id", "channel_id", "channel_name", "user_id", "user_name", "message_ts", "thread_ts", "start", "message_date",
    "permalink",
)  # fmt: skip
_ARTIFACT = (
    "id", "channel_id", "channel_name", "author_user_id", "author_name", "burst_ts", "thread_ts", "start",
    "last_message_at", "permalink", "kind", "question", "summary", "resolution", "topics", "message_count",
)  # fmt: skip
_KINDS: dict[str, Kind] = {"thread": "thread_summary", "burst": "author_burst"}


@dataclass(frozen=True, kw_only=True)
class SlackMatch:
    """A message, or what was distilled from a thread, with what a reader needs to judge and cite it.

    ``ref`` is its name in flight records. ``parent_text`` is what a reply answers, where it was looked up.
    """

    kind: Kind
    ref: str
    channel_id: str
    channel_name: str | None
    user_id: str | None
    user_name: str | None
    message_ts: str
    thread_ts: str | None
    text: str = field(repr=False)
    date: datetime | None
    permalink: str | None
    relevance_score: float = 0.0
    parent_text: str | None = field(default=None, repr=False)
    question: str = field(default="", repr=False)
    resolution: str = field(default="", repr=False)
    topics: tuple[str, ...] = ()
    message_count: int = 1

    @property
    def source_ref(self) -> str:
        """What an answer that rests on it is booked under."""
        return f"{self.channel_id}:{self.message_ts}"

    @property
    def is_reply(self) -> bool:
        return self.kind == "message" and self.thread_ts is not None and self.thread_ts != self.message_ts


def load_matches(ids: Iterable[UUID]) -> dict[UUID, SlackMatch]:
    """The rows as they are now; what was withdrawn or deleted meanwhile is left out."""
    wanted = list(ids)
    return {**_messages(wanted), **_artifacts(wanted)} if wanted else {}


def with_parents(matches: Sequence[SlackMatch]) -> list[SlackMatch]:
    """The same matches; the first ten replies among them know the beginning of what they answer."""
    replies = [match for match in matches if match.is_reply][:WITH_PARENTS]
    parents = _parents(replies)
    told = {match.ref: parents.get((match.channel_id, match.thread_ts)) for match in replies}
    return [
        replace(match, parent_text=told[match.ref]) if told.get(match.ref) else match for match in matches
    ]


def _parents(replies: Sequence[SlackMatch]) -> Mapping[tuple[str, str | None], str]:
    wanted = Q()
    for reply in replies:
        wanted |= Q(channel_id=reply.channel_id, message_ts=reply.thread_ts)
    if not wanted:
        return {}
    rows = ProcessedSlackMessage.objects.filter(wanted, withdrawn_at__isnull=True)
    found = rows.annotate(start=Left("message_text", PARENT_CHARS))
    return {
        (channel, ts): text for channel, ts, text in found.values_list("channel_id", "message_ts", "start")
    }


def _messages(ids: list[UUID]) -> dict[UUID, SlackMatch]:
    rows = ProcessedSlackMessage.objects.filter(pk__in=ids, withdrawn_at__isnull=True)
    found = rows.annotate(start=Left("message_text", TEXT_CHARS)).values_list(*_MESSAGE)
    return {row[0]: _message(dict(zip(_MESSAGE, row, strict=True))) for row in found}


def _message(row: Mapping[str, Any]) -> SlackMatch:
    return SlackMatch(
        kind="message",
        ref=f"message:{row['channel_id']}:{row['message_ts']}",
        channel_id=row["channel_id"],
        channel_name=row["channel_name"],
        user_id=row["user_id"],
        user_name=row["user_name"],
        message_ts=row["message_ts"],
        thread_ts=row["thread_ts"],
        text=row["start"],
        date=row["message_date"],
        permalink=row["permalink"],
    )


def _artifacts(ids: list[UUID]) -> dict[UUID, SlackMatch]:
    rows = SlackThreadArtifact.objects.filter(pk__in=ids)
    found = rows.annotate(start=Left("document_text", TEXT_CHARS)).values_list(*_ARTIFACT)
    return {row[0]: _artifact(dict(zip(_ARTIFACT, row, strict=True))) for row in found}


def _artifact(row: Mapping[str, Any]) -> SlackMatch:
    ts = row["burst_ts"] or row["thread_ts"]
    return SlackMatch(
        kind=_KINDS[row["kind"]],
        ref=f"{row['kind']}:{row['channel_id']}:{ts}",
        channel_id=row["channel_id"],
        channel_name=row["channel_name"],
        user_id=row["author_user_id"],
        user_name=row["author_name"],
        message_ts=ts,
        thread_ts=row["thread_ts"],
        text=row["summary"] or row["start"],
        date=row["last_message_at"],
        permalink=row["permalink"],
        question=row["question"],
        resolution=row["resolution"],
        topics=tuple(row["topics"]),
        message_count=row["message_count"],
    )
