"""Whom answers named, ranked, counted and listed (contract §6, §12.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.db.models.functions import Left

from apps.agent.models import MatchedVia, ReplyMention
from apps.agent.models.conversations import CHANNELS
from apps.tenancy import days, principals
from apps.tenancy.models import Principal

EXCERPT: Final = 280
EVERYBODY: Final = "all"
Tier = Literal["member", "mentor", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A person and how often answers named them."""

    principal: Principal
    mentions: int
    content_sourced: int
    last_mentioned_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionCounts:
    """How often, where and how answers named one person."""

    principal: Principal
    total: int
    content_sourced: int
    by_channel: dict[str, int]
    by_matched_via: dict[str, int]
    first_mentioned_at: datetime | None
    last_mentioned_at: datetime | None


def leaderboard(
    *, tier: Tier, first: date | None = None, last: date | None = None, limit: int
) -> list[Ranked]:
    """Those named most often on these days; of equals the one named last comes first."""
    rows = _within(first, last)
    if tier != EVERYBODY:
        rows = rows.filter(principal_id__in=Principal.objects.filter(tier=tier).values("pk"))
    measured = list(
        rows.values("principal_id")
        .annotate(
            mentions=Count("pk"),
            content_sourced=Count("pk", filter=Q(content_sourced=True)),
            last_mentioned_at=Max("mentioned_at"),
        )
        .order_by("-mentions", "-last_mentioned_at", "principal_id")[:limit]
    )
    people = Principal.objects.in_bulk([each["principal_id"] for each in measured])
    return [Ranked(principal=people[each.pop("principal_id")], **each) for each in measured]


def counts(
    *,
    ref: str | None = None,
    email: str | None = None,
    slack_user_id: str | None = None,
    first: date | None = None,
    last: date | None = None,
) -> MentionCounts:
    """One person's numbers on these days; raises :class:`NotFound`."""
    row = principals.chosen(ref=ref, email=email, slack_user_id=slack_user_id)
    measured = (
        _within(first, last)
        .filter(principal=row)
        .aggregate(
            total=Count("pk"),
            content_sourced=Count("pk", filter=Q(content_sourced=True)),
            first_mentioned_at=Min("mentioned_at"),
            last_mentioned_at=Max("mentioned_at"),
            **{f"on_{channel}": Count("pk", filter=Q(channel=channel)) for channel in CHANNELS},
            **{f"via_{way}": Count("pk", filter=Q(matched_via=way)) for way in MatchedVia.values},
        )
    )
    return MentionCounts(
        principal=row,
        by_channel={channel: measured.pop(f"on_{channel}") for channel in CHANNELS},
        by_matched_via={way: measured.pop(f"via_{way}") for way in MatchedVia.values},
        **measured,
    )


def details(
    *,
    ref: str | None = None,
    email: str | None = None,
    slack_user_id: str | None = None,
    first: date | None = None,
    last: date | None = None,
) -> QuerySet[Any]:
    """One person's mentions on these days, each with ``exchange_key``, ``thread_key`` and an ``excerpt``.

    Raises :class:`NotFound`.
    """
    row = principals.chosen(ref=ref, email=email, slack_user_id=slack_user_id)
    return (
        _within(first, last)
        .filter(principal=row)
        .annotate(
            exchange_key=F("conversation__exchange_key"),
            thread_key=F("conversation__thread_key"),
            excerpt=Left("conversation__message_text", EXCERPT),
        )
    )


def _within(first: date | None, last: date | None) -> QuerySet[ReplyMention]:
    return days.within(ReplyMention.objects.all(), first, last, by="mentioned_at")
