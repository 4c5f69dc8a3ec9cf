"""How much was said, by day, week or month on the community's clocks (contract §12.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

from django.db.models import Count, Q
from django.db.models.functions import TruncDay, TruncMonth, TruncWeek

from apps.agent.models import ConversationLog
from apps.agent.models.conversations import CHANNELS
from apps.tenancy import days, principals

Grouping = Literal["day", "week", "month"]
MOST: Final = 1000
_CUTS: Final = {"day": TruncDay, "week": TruncWeek, "month": TruncMonth}
_PREFIX: Final = "on_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What was said in one stretch of time."""

    messages: int
    inbound: int
    outbound: int
    exchanges: int
    people: int
    by_channel: dict[str, int]
    start: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analytics:
    """The whole, and the stretches in which something was said, the oldest first; the newest 1,000 of them."""

    timezone: str
    totals: Tally
    groups: list[Tally] = field(repr=False)


def analytics(
    *,
    group_by: Grouping,
    first: date | None = None,
    last: date | None = None,
    principal_ref: str | None = None,
) -> Analytics:
    """Counts of these days, both included; raises :class:`NotFound` for a person who is not known."""
    rows = days.within(ConversationLog.objects.all(), first, last, by="message_at")
    if principal_ref is not None:
        rows = rows.filter(principal=principals.chosen(ref=principal_ref))
    zone = days.zone()
    groups = (
        rows.annotate(start=_CUTS[group_by]("message_at", tzinfo=zone))
        .values("start")
        .annotate(**_measures())
        .order_by("-start")[:MOST]
    )
    return Analytics(
        timezone=str(zone),
        totals=_tally(rows.aggregate(**_measures())),
        groups=[_tally(group) for group in reversed(list(groups))],
    )


def _measures() -> dict[str, Count]:
    return {
        "messages": Count("pk"),
        "inbound": Count("pk", filter=Q(direction="inbound")),
        "outbound": Count("pk", filter=Q(direction="outbound")),
        "exchanges": Count("exchange_key", distinct=True),
        "people": Count("principal_id", distinct=True),
        **{_PREFIX + channel: Count("pk", filter=Q(channel=channel)) for channel in CHANNELS},
    }


def _tally(measured: dict[str, Any]) -> Tally:
    start = measured.get("start")
    return Tally(
        start=None if start is None else start.date(),
        messages=measured["messages"],
        inbound=measured["inbound"],
        outbound=measured["outbound"],
        exchanges=measured["exchanges"],
        people=measured["people"],
        by_channel={channel: measured[_PREFIX + channel] for channel in CHANNELS},
    )
