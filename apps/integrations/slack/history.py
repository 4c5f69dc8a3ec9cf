"""Messages as Slack keeps them: pages of a channel, pages of a thread, one message (contract §8.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from apps.integrations.slack.client import slack_client
from apps.integrations.slack.reading import records_of, text_of, ts_of

# Slack's most; many tokens are allowed far fewer, and are sent fewer without a word.
MOST_A_PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Messages as they came, newest first in a channel, oldest first in a thread."""

    messages: list[dict[str, Any]]
    next_cursor: str
    has_more: bool


def channel_page(channel_id: str, *, before: str | None = None, limit: int = MOST_A_PAGE) -> Page:
    """What was written before a moment, the newest first; raises ``SlackFailure``."""
    asked: dict[str, Any] = {"latest": before, "inclusive": False} if before else {}
    return _page(slack_client().conversations_history(channel=channel_id, limit=limit, **asked))


def thread_page(channel_id: str, thread_ts: str, *, cursor: str = "", limit: int = MOST_A_PAGE) -> Page:
    """A thread from its first message on; raises ``SlackFailure``."""
    asked: dict[str, Any] = {"cursor": cursor} if cursor else {}
    return _page(slack_client().conversations_replies(channel=channel_id, ts=thread_ts, limit=limit, **asked))


def one_message(channel_id: str, ts: str, *, thread_ts: str | None = None) -> dict[str, Any] | None:
    """One message, in a thread or not; None when it is not there. Raises ``SlackFailure``."""
    client = slack_client()
    window: dict[str, Any] = {"latest": ts, "oldest": ts, "inclusive": True, "limit": 2}
    if thread_ts is not None and thread_ts != ts:
        answer = client.conversations_replies(channel=channel_id, ts=thread_ts, **window)
    else:
        answer = client.conversations_history(channel=channel_id, **window)
    return next((each for each in _page(answer).messages if ts_of(each, "ts") == ts), None)


def _page(answer: Any) -> Page:
    cursor = text_of(answer.data, "response_metadata", "next_cursor")
    return Page(
        messages=records_of(answer.data, "messages"),
        next_cursor=cursor,
        has_more=answer.get("has_more") is True or bool(cursor),
    )
