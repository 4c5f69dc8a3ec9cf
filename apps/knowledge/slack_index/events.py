"""Slack's message events on their way into the index (contract §8.2).

``offer`` is for whoever receives events: it decides cheaply, and leaves names, files and vectors to a job.
``take_in`` is what the job, and the command that reads recorded messages, do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from apps.integrations.slack.reading import id_of, records_of, text_of, ts_of
from apps.knowledge import indexing
from apps.knowledge.slack_index import seeing
from apps.knowledge.slack_index.ingest import MIN_CHARS, Ingested, delete_message, ingest_message
from apps.knowledge.slack_index.lookup import Lookup
from apps.knowledge.slack_index.message import Names, SlackMessage
from apps.knowledge.slack_index.wire_text import channels_in, people_in, plain
from apps.tenancy import jobs

Json = dict[str, Any]
QUEUE: Final = "slack-knowledge-ingest"
SPOKEN: Final = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_CLOSED: Final = frozenset({"im", "mpim", "group", "app_home"})
_FILE_FIELDS: Final = (
    *("id", "name", "title", "mimetype", "filetype", "size", "url_private", "url_private_download"),
)
_TEXTS: Final = (
    *("channel", "channel_name", "channel_type", "user", "user_name", "bot_id", "app_id"),
    *("ts", "thread_ts", "text", "subtype", "permalink"),
)
Taken = Literal[
    "created", "updated", "unchanged", "too_short", "outdated", "deleted", "not_public", "not_human"
]


def offer(event: Mapping[str, Any]) -> bool:
    """Asks for a message event to be indexed; False when the index has no use for it.

    Deletions are followed at once, everything else waits for its turn. In the caller's transaction.
    """
    said = spoken(event)
    if said is None:
        return False
    if said["kind"] == "deleted":
        if said["ts"]:
            delete_message(said["channel"], said["ts"])
        return True
    if said["kind"] == "said" and len(plain(said["text"])) <= MIN_CHARS:
        return False
    key = f"message:{said['channel']}:{said['ts']}:{said['edited_ts'] or ''}"
    jobs.enqueue(QUEUE, key=key, payload={"kind": "message", "message": said})
    return True


def spoken(event: Mapping[str, Any]) -> Json | None:
    """What of an event matters here, in one form for new, changed and deleted messages; None when nothing does."""
    subtype = text_of(event, "subtype")
    if text_of(event, "channel_type") in _CLOSED or event.get("is_private") is True:
        return None
    if subtype == "message_deleted":
        return _deleted(event)
    if subtype == "message_changed":
        return _changed(event)
    if subtype not in SPOKEN:
        return None
    return _said(event, channel=_channel_of(event), kind="said")


def take_in(
    said: Json, *, lookup: Lookup, live: bool = True, embed: bool = True, finish: bool = True
) -> Taken:
    """Brings the index to what an event said; with ``finish`` also its files and the beginning of its thread.

    Raises ``SlackFailure``, ``LlmFailure`` or ``HttpFailure``.
    """
    if said["kind"] == "deleted":
        return "deleted" if delete_message(said["channel"], said["ts"]) else "outdated"
    if not lookup.is_public(said):
        return "not_public"
    author = lookup.author(said)
    if author is None:
        return "not_human"
    message = SlackMessage(
        channel_id=said["channel"],
        channel_name=lookup.channel_name(said),
        user_id=said["user"],
        user_name=author,
        ts=said["ts"],
        thread_ts=said["thread_ts"],
        text=said["text"],
        permalink=lookup.permalink(said),
        files=tuple(said["files"]),
        edited_ts=said["edited_ts"],
        reaction_count=said["reaction_count"],
    )
    done = ingest_message(message, names=names_for(said["text"], lookup=lookup), live=live)
    if finish:
        _finish(done, message, lookup=lookup, embed=embed)
    return done.outcome


def names_for(text: str, *, lookup: Lookup) -> Names:
    """Names of whom and what a text mentions."""
    return Names(users=lookup.users(people_in(text)), channels=lookup.channels(channels_in(text)))


def _finish(done: Ingested, message: SlackMessage, *, lookup: Lookup, embed: bool) -> None:
    """Files, the message a thread began with, and a vector; what fails leaves the message itself in the index."""
    if done.row is None or done.outcome in ("too_short", "outdated"):
        return
    try:
        if lookup.connected:
            seeing.enrich(message)
            _bring_parent(message, lookup=lookup)
    finally:
        if embed:
            indexing.embed_pending_rows("slack_messages", ids=[done.row.pk])


def _bring_parent(message: SlackMessage, *, lookup: Lookup) -> None:
    """A reply without its thread's first message would say half of it."""
    parent = lookup.missing_parent(message)
    said = _said(parent, channel=message.channel_id, kind="said") if parent else None
    if said is not None:
        take_in({**said, "channel_type": "channel"}, lookup=lookup, live=False)


def _deleted(event: Mapping[str, Any]) -> Json | None:
    channel = _channel_of(event)
    ts = ts_of(event, "deleted_ts") or ts_of(event, "previous_message", "ts")
    return {"kind": "deleted", "channel": channel, "ts": ts} if channel and ts else None


def _changed(event: Mapping[str, Any]) -> Json | None:
    """A new text, or only a preview that Slack has added: then there is nothing to do."""
    now, before = event.get("message"), event.get("previous_message")
    if not isinstance(now, dict):
        return None
    channel, ts = _channel_of(event), ts_of(now, "ts")
    if text_of(now, "subtype") == "tombstone":
        return {"kind": "deleted", "channel": channel, "ts": ts} if channel and ts else None
    if text_of(now, "subtype") not in SPOKEN or (isinstance(before, dict) and _same(now, before)):
        return None
    said = _said(now, channel=channel, kind="changed")
    return said and {**said, "channel_type": text_of(event, "channel_type")}


def _same(now: Json, before: Json) -> bool:
    files = [[text_of(each, "id") for each in records_of(version, "files")] for version in (now, before)]
    return text_of(now, "text") == text_of(before, "text") and files[0] == files[1]


def _said(event: Mapping[str, Any], *, channel: str | None, kind: str) -> Json | None:
    ts = ts_of(event, "ts")
    if channel is None or ts is None or text_of(event, "subtype") not in SPOKEN:
        return None
    record = dict(event)
    kept: Json = {name: text_of(record, name) for name in _TEXTS}
    return {
        **kept,
        "kind": kind,
        "channel": channel,
        "ts": ts,
        "thread_ts": ts_of(record, "thread_ts"),
        "user": id_of(record, "user"),
        "user_name": kept["user_name"] or text_of(record, "user_profile", "display_name"),
        "edited_ts": ts_of(record, "edited", "ts"),
        "files": [
            {name: each[name] for name in _FILE_FIELDS if isinstance(each.get(name), str | int)}
            for each in records_of(record, "files")
        ],
        "reaction_count": _reactions(record),
    }


def _reactions(record: Json) -> int:
    counts = [each.get("count") for each in records_of(record, "reactions")]
    return sum(count for count in counts if isinstance(count, int) and 0 < count < 100_000)


def _channel_of(event: Mapping[str, Any]) -> str | None:
    return id_of(dict(event), "channel")
