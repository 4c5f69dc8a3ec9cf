"""Messages a question links to, as they stand in Slack at this moment (contract §10.3)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from apps.integrations.slack import directory, history
from apps.integrations.slack.failure import SlackFailure
from apps.integrations.slack.reading import id_of, moment_of, text_of
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.slack.matches import SlackMatch, load_matches, with_parents
from apps.knowledge.retrieval.slack.permalinks import Permalink
from apps.knowledge.slack_index.wire_text import channels_in, people_in, plain

log = logging.getLogger(__name__)

FIRST_OF_ALL: Final = 1_000_000.0
_NEEDED: Final = ("id", "channel_id", "message_ts", "permalink", "withdrawn_at")


@dataclass(frozen=True, kw_only=True)
class Linked:
    """``unanswered``: Slack could not be asked, so that what the index knows stands in, if anything."""

    matches: tuple[SlackMatch, ...] = ()
    unanswered: bool = False


def linked_messages(links: Sequence[Permalink]) -> Linked:
    """Public messages only, and none that its author withdrew. Makes calls to Slack; never raises for it."""
    found: list[SlackMatch] = []
    unanswered = False
    rows = _rows(links)
    for link in links:
        row = rows.get(link.ref)
        if row is not None and row.withdrawn_at is not None:
            continue
        try:
            match = _live(link, row=row)
        except SlackFailure as failure:
            log.warning("a linked message could not be looked up (%s)", failure.code)
            unanswered = True
            match = load_matches([row.pk]).get(row.pk) if row else None
        if match is not None:
            found.append(replace(match, relevance_score=FIRST_OF_ALL))
    return Linked(matches=tuple(with_parents(found)), unanswered=unanswered)


def _rows(links: Sequence[Permalink]) -> dict[str, ProcessedSlackMessage]:
    """What the index knows of them, by their refs."""
    if not links:
        return {}
    known = ProcessedSlackMessage.objects.filter(
        channel_id__in=[link.channel_id for link in links], message_ts__in=[link.ts for link in links]
    )
    return {f"{row.channel_id}:{row.message_ts}": row for row in known.only(*_NEEDED)}


def _live(link: Permalink, *, row: ProcessedSlackMessage | None) -> SlackMatch | None:
    channel = directory.channel(link.channel_id)
    if channel is None or not channel.is_public:
        return None
    said = history.one_message(link.channel_id, link.ts, thread_ts=link.thread_ts)
    if said is None:
        return None
    return SlackMatch(
        kind="message",
        ref=f"message:{link.ref}",
        channel_id=link.channel_id,
        channel_name=channel.name,
        user_id=id_of(said, "user"),
        user_name=_author(said),
        message_ts=link.ts,
        thread_ts=link.thread_ts,
        text=_words(said),
        date=moment_of(link.ts),
        permalink=row.permalink if row else None,
    )


def _author(said: dict[str, Any]) -> str | None:
    user = id_of(said, "user")
    names = directory.user_names([user]) if user else {}
    return names.get(user or "") or text_of(said, "username") or None


def _words(said: dict[str, Any]) -> str:
    text = text_of(said, "text")
    return plain(
        text,
        users=directory.user_names(people_in(text)),
        channels=directory.channel_names(channels_in(text)),
    )
