"""Messages into the index, and out of it again: the one writer of their rows (contract §2.5, §8.2).

A message keeps its vector while its words stay the same. Of a deleted one nothing but its time stays, so that an
event that arrives late does not bring it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db import transaction

from apps.foundation.clock import now
from apps.foundation.text import clean, one_line
from apps.integrations.slack.reading import moment_of
from apps.knowledge.models import ProcessedSlackMessage, SlackMessageEnrichment, SlackThreadArtifact
from apps.knowledge.slack_index import reach
from apps.knowledge.slack_index.distilling import ask_distill
from apps.knowledge.slack_index.message import Names, SlackMessage, checked_ts, is_newer
from apps.knowledge.slack_index.normalized import normalized_text
from apps.knowledge.slack_index.wire_text import plain

__all__ = [
    "Ingested",
    "SlackMessage",
    "delete_message",
    "ingest_message",
    "restate",
    "restore_message",
    "withdraw_message",
]

MIN_CHARS: Final = 10
"""Messages no longer than this say nothing worth finding."""

# No edit comes after it: what is deleted stays so.
DELETED: Final = "999999999999.999999"
ATTACHED: Final = "\n\nAttached: "

Outcome = Literal["created", "updated", "unchanged", "too_short", "outdated"]


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """What became of a message; ``row`` is None where it left no trace."""

    outcome: Outcome
    row: ProcessedSlackMessage | None = None


def ingest_message(message: SlackMessage, *, names: Names | None = None, live: bool = True) -> Ingested:
    """Stores a public message of a person, or the newest version of one; a reply asks for its thread to be distilled.

    The caller has seen to it that the channel is public and the author human. Outside any model or HTTP call.
    """
    known = names or Names()
    text = plain(message.text, users=known.users, channels=known.channels)
    with transaction.atomic():
        row = _locked(message.channel_id, message.ts)
        if row is None and len(text) <= MIN_CHARS:
            return Ingested(outcome="too_short")
        if row is None:
            row, created = _made(message, text)
            outcome: Outcome = "created" if created else _changed(row, message, text)
        else:
            outcome = _changed(row, message, text)
        if live:
            reach.saw(message.channel_id, message.ts, channel_name=row.channel_name or "")
        if outcome in ("created", "updated") and (message.is_reply or _has_replies(row)):
            ask_distill(row.channel_id, message.thread)
    return Ingested(outcome=outcome, row=row)


def withdraw_message(channel_id: str, ts: str) -> bool:
    """Takes a message out of every search at once, at its author's wish; False when it is not there."""
    with transaction.atomic():
        row = _locked(channel_id, ts)
        if row is None or row.withdrawn_at is not None:
            return False
        row.withdrawn_at = now()
        row.save(update_fields=["withdrawn_at", "updated_at"])
        _undistill(row)
    return True


def restore_message(channel_id: str, ts: str) -> bool:
    """Brings back what its author withdrew; a deleted message does not come back."""
    with transaction.atomic():
        row = _locked(channel_id, ts)
        if row is None or row.withdrawn_at is None or not row.message_text:
            return False
        row.withdrawn_at = None
        row.save(update_fields=["withdrawn_at", "updated_at"])
        ask_distill(row.channel_id, row.thread_ts or row.message_ts)
    return True


def delete_message(channel_id: str, ts: str) -> bool:
    """A message was deleted in Slack: its words go, here and in what was made of them; False when it was not there."""
    checked_ts(ts)
    with transaction.atomic():
        row = _locked(channel_id, ts)
        if row is None:
            blank = {**_blank(DELETED), "message_date": moment_of(ts)}
            row, created = ProcessedSlackMessage.objects.get_or_create(
                channel_id=channel_id, message_ts=ts, defaults=blank
            )
            if created:
                return False
        was_there = bool(row.message_text)
        _emptied(row, edited_ts=DELETED)
    return was_there


def restate(channel_id: str, ts: str, *, summary: str) -> bool:
    """Puts what a model saw in a message's files beside its words; False when the message is gone."""
    with transaction.atomic():
        row = _locked(channel_id, ts)
        if row is None or not row.message_text:
            return False
        SlackMessageEnrichment.objects.update_or_create(
            channel_id=channel_id, message_ts=ts, defaults={"summary": clean(summary)}
        )
        if _reworded(row, _with_files(_own_words(row.message_text), clean(summary))):
            row.save()
            if row.thread_ts and row.thread_ts != row.message_ts:
                ask_distill(row.channel_id, row.thread_ts)
    return True


def _locked(channel_id: str, ts: str) -> ProcessedSlackMessage | None:
    rows = ProcessedSlackMessage.objects.select_for_update(of=("self",)).defer("embedding", "trigrams")
    found: ProcessedSlackMessage | None = rows.filter(channel_id=channel_id, message_ts=ts).first()
    return found


def _made(message: SlackMessage, text: str) -> tuple[ProcessedSlackMessage, bool]:
    row, created = ProcessedSlackMessage.objects.get_or_create(
        channel_id=message.channel_id,
        message_ts=message.ts,
        defaults={
            **_details(message),
            "reaction_count": message.reaction_count,
            "message_text": text,
            "normalized_text": normalized_text(text),
            "message_date": moment_of(message.ts),
            "edited_ts": message.edited_ts,
        },
    )
    # Somebody else's moment ago is not locked yet.
    return (row, True) if created else (_locked(message.channel_id, message.ts) or row, False)


def _changed(row: ProcessedSlackMessage, message: SlackMessage, text: str) -> Outcome:
    """Brings a row to the state of a message; an older version than the one stored changes nothing."""
    if is_newer(row.edited_ts, than=message.edited_ts):
        return "outdated"
    if len(text) <= MIN_CHARS:
        _emptied(row, edited_ts=message.edited_ts)
        return "too_short"
    if not row.message_text:
        if not is_newer(message.edited_ts, than=row.edited_ts):
            return "outdated"
        row.withdrawn_at = None
    for name, value in _details(message).items():
        if value is not None:
            setattr(row, name, value)
    # Only history counts reactions; what events bring says nothing of them.
    row.reaction_count = max(row.reaction_count, message.reaction_count)
    row.edited_ts = message.edited_ts
    reworded = _reworded(row, _with_files(text, _summary(row, message)))
    row.save()
    return "updated" if reworded else "unchanged"


def _details(message: SlackMessage) -> dict[str, Any]:
    return {
        "channel_name": one_line(message.channel_name) if message.channel_name else None,
        "user_id": message.user_id,
        "user_name": one_line(message.user_name) if message.user_name else None,
        "thread_ts": message.thread_ts,
        "permalink": message.permalink,
    }


def _reworded(row: ProcessedSlackMessage, text: str) -> bool:
    """Sets other words, which want another vector and to be read anew; False when they are the same."""
    if row.message_text == text:
        return False
    row.message_text, row.normalized_text = text, normalized_text(text)
    row.embedding, row.embedder = None, None
    row.embed_failures, row.embed_retry_at = 0, None
    row.extraction_processed_at = None
    return True


def _summary(row: ProcessedSlackMessage, message: SlackMessage) -> str:
    """What was seen in the files a message still has."""
    seen = SlackMessageEnrichment.objects.filter(channel_id=row.channel_id, message_ts=row.message_ts)
    if not message.files:
        seen.delete()
        return ""
    return seen.values_list("summary", flat=True).first() or ""


def _with_files(text: str, summary: str) -> str:
    return f"{text}{ATTACHED}{summary}" if summary else text


def _own_words(text: str) -> str:
    return text.partition(ATTACHED)[0]


def _emptied(row: ProcessedSlackMessage, *, edited_ts: str | None) -> None:
    """Leaves the time of a message and takes everything it said, also from its thread's documents."""
    _undistill(row)
    SlackMessageEnrichment.objects.filter(channel_id=row.channel_id, message_ts=row.message_ts).delete()
    for name, value in _blank(edited_ts).items():
        setattr(row, name, value)
    row.save()


def _blank(edited_ts: str | None) -> dict[str, Any]:
    return {
        "message_text": "",
        "normalized_text": "",
        "user_id": None,
        "user_name": None,
        "permalink": None,
        "embedding": None,
        "embedder": None,
        "withdrawn_at": now(),
        "edited_ts": edited_ts,
        "reaction_count": 0,
    }


def _undistill(row: ProcessedSlackMessage) -> None:
    """What was made of the thread goes at once and is made anew of what is left."""
    thread = row.thread_ts or row.message_ts
    gone, _ = SlackThreadArtifact.objects.filter(channel_id=row.channel_id, thread_ts=thread).delete()
    if gone or (row.thread_ts and row.thread_ts != row.message_ts):
        ask_distill(row.channel_id, thread)


def _has_replies(row: ProcessedSlackMessage) -> bool:
    replies = ProcessedSlackMessage.objects.filter(channel_id=row.channel_id, thread_ts=row.message_ts)
    return bool(replies.exclude(message_ts=row.message_ts).exists())
