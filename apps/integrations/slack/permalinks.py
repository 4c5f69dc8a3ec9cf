"""Addresses of messages, put together as Slack puts them together: without a call for each (contract §8.2)."""

from __future__ import annotations

from urllib.parse import urlencode

from apps.integrations.slack.directory import workspace


def permalink_of(channel_id: str, ts: str, *, thread_ts: str | None = None) -> str | None:
    """A message's address in the current workspace; None when Slack does not name it. Raises ``SlackFailure``."""
    home = workspace().url
    if not home.startswith("https://"):
        return None
    address = f"{home}archives/{channel_id}/p{ts.replace('.', '')}"
    if thread_ts is None or thread_ts == ts:
        return address
    return f"{address}?{urlencode({'thread_ts': thread_ts, 'cid': channel_id})}"
