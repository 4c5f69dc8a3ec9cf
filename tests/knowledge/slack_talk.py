"""Slack messages and threads with given words, written as the ingest writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from apps.knowledge.indexing import embed_pending_rows
from apps.knowledge.models import ProcessedSlackMessage, SlackThreadArtifact
from apps.knowledge.slack_index.normalized import normalized_text

BEGINNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
_SECOND = 1_772_000_000


def ts_of(number: int) -> str:
    return f"{_SECOND + number}.000100"


def say(text: str, number: int, **more: Any) -> ProcessedSlackMessage:
    """One message in #general by Ada, number seconds after the beginning."""
    fields = {
        "channel_id": "C0GENERAL",
        "channel_name": "general",
        "user_id": "U0ADA",
        "user_name": "Ada Quist",
        "message_ts": ts_of(number),
        "message_date": BEGINNING + timedelta(minutes=number),
        "permalink": f"https://harbour.slack.com/archives/C0GENERAL/p{ts_of(number).replace('.', '')}",
    } | more
    row = ProcessedSlackMessage(message_text=text, normalized_text=normalized_text(text), **fields)
    row.save()
    return row


def distilled(summary: str, number: int, **more: Any) -> SlackThreadArtifact:
    """What was made of the thread that begins with that message."""
    fields = {
        "channel_id": "C0GENERAL",
        "channel_name": "general",
        "thread_ts": ts_of(number),
        "kind": "thread",
        "summary": summary,
        "document_text": f"#general {summary}",
    } | more
    row = SlackThreadArtifact(**fields)
    row.save()
    return row


def embedded() -> None:
    """Vectors for everything said so far."""
    while embed_pending_rows("slack_messages").left:
        pass
    while embed_pending_rows("slack_artifacts").left:
        pass
