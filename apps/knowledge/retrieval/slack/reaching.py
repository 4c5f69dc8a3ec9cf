"""How far back the Slack index reaches, for somebody who found nothing in it (contract §10.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from django.db.models import Min

from apps.knowledge.models import ProcessedSlackMessage, SlackChannelReach

MOST_CHANNELS: Final = 12
_NO_INDEX: Final = "No Slack message is indexed yet, so this says nothing about what was written in Slack."


def how_far_back() -> str:
    """A sentence that names the channels read so far with the day the index begins in each."""
    channels = [_channel(row) for row in SlackChannelReach.objects.order_by("channel_name", "channel_id")]
    if channels:
        more = len(channels) - MOST_CHANNELS
        named = "; ".join(channels[:MOST_CHANNELS]) + (f"; and {more} more channels" if more > 0 else "")
        return (
            f"The index covers only public channels, back to: {named}. What was written before is not in it."
        )
    began = ProcessedSlackMessage.objects.aggregate(first=Min("message_date"))["first"]
    if began is None:
        return _NO_INDEX
    return f"The index covers only public channels and begins on {_day(began)}. What was written before is not in it."


def _channel(row: SlackChannelReach) -> str:
    name = f"#{row.channel_name or row.channel_id}"
    if row.complete:
        return f"{name} from its beginning"
    began = _moment(row.oldest_ts)
    return f"{name} {_day(began)}" if began else f"{name} nothing yet"


def _moment(ts: str | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(ts), tz=UTC) if ts else None
    except (ValueError, OverflowError, OSError):
        return None


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
