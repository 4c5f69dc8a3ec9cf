"""From ranked rows to messages and summaries as a reader gets them (contract §10.3).

Plain SQL: written down by the ORM the statements take longer than Postgres needs to answer them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from apps.tenancy.context import current_tenant_id

Kind = Literal["message", "thread_summary", "author_burst"]
PARENT_CHARS = 500
WITH_PARENTS = 10
# Longer ones exist (a pasted log); nobody gets to read more than this of one.
TEXT_CHARS = 4_000

_MESSAGES = """
SELECT k.id, k.channel_id, k.channel_name, k.user_id, k.user_name, k.message_ts, k.thread_ts,
    left(k.message_text, %(chars)s) AS start, k.message_date, k.permalink
FROM processed_slack_messages k
WHERE k.tenant_id = %(tenant)s AND k.withdrawn_at IS NULL AND k.id = ANY(%(ids)s::uuid[])
"""
_ARTIFACTS = """
SELECT k.id, k.channel_id, k.channel_name, k.author_user_id, k.author_name, k.burst_ts, k.thread_ts,
    left(k.document_text, %(chars)s) AS start, k.last_message_at, k.permalink, k.kind, k.question, k.summary,
    k.resolution, k.topics, k.message_count
FROM slack_thread_artifacts k WHERE k.tenant_id = %(tenant)s AND k.id = ANY(%(ids)s::uuid[])
"""
_PARENTS = """
SELECT k.channel_id, k.message_ts, left(k.message_text, %(chars)s) AS start
FROM unnest(%(channels)s::text[], %(threads)s::text[]) AS asked(channel, thread)
JOIN processed_slack_messages k
    ON k.tenant_id = %(tenant)s AND k.channel_id = asked.channel AND k.message_ts = asked.thread
WHERE k.withdrawn_at IS NULL
"""
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
    if not replies:
        return {}
    asked = dict.fromkeys((reply.channel_id, reply.thread_ts) for reply in replies)
    channels, threads = ([each[part] for each in asked] for part in (0, 1))
    rows = _rows(_PARENTS, channels=channels, threads=threads, chars=PARENT_CHARS)
    return {(row["channel_id"], row["message_ts"]): row["start"] for row in rows}


def _messages(ids: list[UUID]) -> dict[UUID, SlackMatch]:
    return {row["id"]: _message(row) for row in _rows(_MESSAGES, ids=ids, chars=TEXT_CHARS)}


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
    return {row["id"]: _artifact(row) for row in _rows(_ARTIFACTS, ids=ids, chars=TEXT_CHARS)}


def _rows(sql: str, **parameters: Any) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": current_tenant_id(), **parameters})
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


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
