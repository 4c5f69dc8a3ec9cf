"""How far back the Slack index reaches, for somebody who found nothing in it (contract §10.3)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db.models import Min

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.slack_index.reach import ChannelReach, reach_of_channels

MOST_CHANNELS: Final = 12
_NO_INDEX: Final = "No Slack message is indexed yet, so this says nothing about what was written in Slack."


def how_far_back() -> str:
    """A sentence that names the channels read so far with the day the index begins in each."""
    channels = [_channel(reach) for reach in reach_of_channels()]
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


def _channel(reach: ChannelReach) -> str:
    name = f"#{reach.channel_name}"
    if reach.complete:
        return f"{name} from its beginning"
    return f"{name} {_day(reach.since)}" if reach.since else f"{name} nothing yet"


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
