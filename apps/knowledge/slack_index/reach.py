"""How far back the index of each channel reaches (contract §2.5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.foundation.text import one_line
from apps.integrations.slack.reading import moment_of, ts_key
from apps.knowledge.models import SlackChannelReach


@dataclass(frozen=True, kw_only=True)
class ChannelReach:
    """``since`` is the oldest message the index has seen, ``complete`` that the channel has no older one, ``wanted``
    that its history is being read."""

    channel_id: str
    channel_name: str
    since: datetime | None
    newest: datetime | None
    complete: bool
    wanted: bool
    messages_seen: int
    paused_until: datetime | None
    trouble: str


def reach_of_channels() -> list[ChannelReach]:
    """Every channel the index knows, by name."""
    rows = SlackChannelReach.objects.order_by("channel_name", "channel_id")
    return [
        ChannelReach(
            channel_id=row.channel_id,
            channel_name=row.channel_name or row.channel_id,
            since=moment_of(row.oldest_ts) if row.oldest_ts else None,
            newest=moment_of(row.newest_ts) if row.newest_ts else None,
            complete=row.complete,
            wanted=row.wanted,
            messages_seen=row.messages_seen,
            paused_until=row.paused_until,
            trouble=row.last_error,
        )
        for row in rows
    ]


def sentence(reach: ChannelReach) -> str:
    """How far back one channel reaches, for people."""
    name = f"#{one_line(reach.channel_name)}"
    if reach.complete:
        said = f"{name} is indexed from its beginning"
    elif reach.since is None:
        said = f"{name} is not indexed yet"
    else:
        said = f"{name} is indexed since {reach.since:%Y-%m-%d %H:%M} UTC"
    if reach.wanted:
        rest = f", paused until {reach.paused_until:%H:%M:%S} UTC" if reach.paused_until else ""
        said += f"; its history is being read ({reach.messages_seen} messages so far{rest})"
    return f"{said}. {reach.trouble}".strip() if reach.trouble else f"{said}."


def saw(channel_id: str, ts: str, *, channel_name: str = "") -> None:
    """A message arrived by itself: the index reaches back at least to the first of those."""
    row, created = SlackChannelReach.objects.get_or_create(
        channel_id=channel_id, defaults={"channel_name": channel_name, "oldest_ts": ts, "newest_ts": ts}
    )
    changes: dict[str, object] = {}
    if not created and (row.newest_ts is None or ts_key(ts) > ts_key(row.newest_ts)):
        changes["newest_ts"] = ts
    if not created and row.oldest_ts is None:
        changes["oldest_ts"] = ts
    if channel_name and row.channel_name != channel_name:
        changes["channel_name"] = channel_name
    if changes:
        SlackChannelReach.objects.filter(pk=row.pk).update(**changes)
