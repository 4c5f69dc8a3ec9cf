"""A message as the index takes it (contract §2.5, §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.foundation.errors import BadInput
from apps.integrations.slack.reading import moment_of, ts_key


@dataclass(frozen=True, kw_only=True)
class SlackMessage:
    """``text`` is Slack's writing; ``files`` are the file objects as Slack sends them."""

    channel_id: str
    ts: str
    text: str
    channel_name: str | None = None
    user_id: str | None = None
    user_name: str | None = None
    thread_ts: str | None = None
    permalink: str | None = None
    files: tuple[Mapping[str, Any], ...] = ()
    edited_ts: str | None = None
    reaction_count: int = 0

    def __post_init__(self) -> None:
        if not self.channel_id:
            raise BadInput("A Slack message needs the id of its channel.")
        for ts in (self.ts, self.thread_ts, self.edited_ts):
            if ts is not None:
                checked_ts(ts)

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def thread(self) -> str:
        """The time of the message that begins the thread this one belongs to, or would begin."""
        return self.thread_ts or self.ts


@dataclass(frozen=True, kw_only=True)
class Names:
    """How the people and channels in a text are called."""

    users: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, str] = field(default_factory=dict)


def is_newer(edited_ts: str | None, *, than: str | None) -> bool:
    """Is a version later than another? A message nobody edited has the first."""
    return _version(edited_ts) > _version(than)


def _version(edited_ts: str | None) -> tuple[int, int]:
    return ts_key(edited_ts) if edited_ts else (0, 0)


def checked_ts(ts: str) -> None:
    try:
        moment_of(ts)
    except (ValueError, OverflowError, OSError):
        raise BadInput("A Slack message's time looks like 1790000000.000100.") from None
