"""Posting to Slack, so that whatever was posted is found again (contract §8.2)."""

from __future__ import annotations

from typing import Any, Final

from apps.foundation.errors import Conflict, NotFound, RootError
from apps.integrations.delivery import Delivered, DeliveryUncertain
from apps.integrations.slack.client import slack_client
from apps.integrations.slack.failure import SlackFailure
from apps.integrations.slack.mrkdwn import blocks_of, to_mrkdwn
from apps.integrations.slack.reading import id_of, records_of, text_of, ts_of

CARRIER: Final = "slack"
EVENT: Final = "root_message"
LOOKED_AT: Final = 100
# With these a message may have been posted all the same.
_UNCERTAIN: Final = frozenset(
    {"network", "bad_response", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)
_MISSING: Final = frozenset({"channel_not_found", "user_not_found", "users_not_found", "thread_not_found"})
_CLOSED: Final = frozenset(
    {
        "not_in_channel",
        "is_archived",
        "cannot_dm_bot",
        "user_disabled",
        "restricted_action",
        "missing_scope",
        "messages_tab_disabled",
    }
)


def direct_channel(slack_user_id: str) -> str:
    """The channel between the agent and one person; raises a typed error."""
    try:
        opened = slack_client().conversations_open(users=slack_user_id)
    except SlackFailure as failure:
        raise _told(failure) from None
    channel = id_of(opened.data, "channel", "id")
    if channel is None:
        raise NotFound("Slack opens no conversation with this person.")
    return channel


def post(channel_id: str, text: str, *, message_id: str, thread_ts: str | None = None) -> Delivered:
    """Posts Markdown. Raises :class:`DeliveryUncertain`, or a typed error when nothing was posted."""
    said = to_mrkdwn(text)
    asked: dict[str, Any] = {"blocks": blocks_of(said), "thread_ts": thread_ts}
    try:
        answer = slack_client().chat_postMessage(
            channel=channel_id,
            text=said,
            mrkdwn=True,
            metadata={"event_type": EVENT, "event_payload": {"id": message_id}},
            **{name: value for name, value in asked.items() if value},
        )
    except SlackFailure as failure:
        if failure.code in _UNCERTAIN:
            raise DeliveryUncertain from None
        raise _told(failure) from None
    ts = ts_of(answer.data, "ts")
    if ts is None:
        raise DeliveryUncertain
    return Delivered(carrier=CARRIER, external_id=ts, place=id_of(answer.data, "channel") or channel_id)


def find_posted(channel_id: str, *, message_id: str, thread_ts: str | None = None) -> Delivered | None:
    """The message if it is among the latest there; raises ``SlackFailure``."""
    client = slack_client()
    asked: dict[str, Any] = {"channel": channel_id, "limit": LOOKED_AT, "include_all_metadata": True}
    answer = (
        client.conversations_replies(ts=thread_ts, **asked)
        if thread_ts
        else client.conversations_history(**asked)
    )
    for each in records_of(answer.data, "messages"):
        ts = ts_of(each, "ts")
        if ts and text_of(each, "metadata", "event_payload", "id") == message_id:
            return Delivered(carrier=CARRIER, external_id=ts, place=channel_id)
    return None


def _told(failure: SlackFailure) -> RootError:
    if failure.is_dead_token:
        return Conflict(f"{failure.message} Connect Slack before sending there.")
    if failure.code in _MISSING:
        return NotFound(failure.message)
    return Conflict(failure.message) if failure.code in _CLOSED else failure
