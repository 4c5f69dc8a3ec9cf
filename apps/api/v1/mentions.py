"""/mentions: whom answers named (contract §6, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from rest_framework.request import Request

from apps.agent import mentions
from apps.agent.mentions import EXCERPT, Ranked
from apps.api.calendar import Days
from apps.api.operation import TenantView, operation
from apps.api.paging import LIMIT, MOST, Page, Paged, page_of
from apps.api.persons import PersonQuery
from apps.api.reading import Query
from apps.api.v1.conversations import ChannelCounts

TAG = "Mentions"
Way = Literal["slack_id", "name"]


class LeaderboardQuery(Days, Query):
    """Whose ranks, and on which days."""

    tier: Annotated[Literal["member", "mentor", "all"], Field(description="Only people of this tier.")] = (
        "all"
    )
    limit: Annotated[int, Field(ge=1, le=MOST, description="Ranks at most.")] = LIMIT


class CountsQuery(Days, PersonQuery):
    """Whose mentions, and on which days."""


class DetailsQuery(Days, PersonQuery, Paged):
    """Whose mentions, and on which days, page by page."""


class RankShown(BaseModel):
    """A person and how often answers named them."""

    rank: int
    principal_ref: str
    display_name: str
    tier: str
    mentions: int
    content_sourced: int = Field(description="Of these, answers that rest on something of theirs.")
    last_mentioned_at: datetime


class LeaderboardShown(BaseModel):
    """Those named most often, first to last."""

    tier: Literal["member", "mentor", "all"]
    items: list[RankShown]


class WayCounts(BaseModel):
    """Mentions by how the person was recognised in the text."""

    slack_id: int
    name: int


class CountsShown(BaseModel):
    """How often, where and how answers named somebody."""

    principal_ref: str
    display_name: str
    total: int
    content_sourced: int
    by_channel: ChannelCounts
    by_matched_via: WayCounts
    first_mentioned_at: datetime | None
    last_mentioned_at: datetime | None


class MentionShown(BaseModel):
    """One answer that named somebody."""

    id: UUID
    mentioned_at: datetime
    channel: Literal["slack", "email", "api", "web"]
    matched_via: Way
    content_sourced: bool
    message_id: UUID = Field(description="The answer, as `/conversations` lists it.")
    exchange_key: str
    thread_key: str
    excerpt: str = Field(description=f"How the answer begins, {EXCERPT} characters at most.")


class Leaderboard(TenantView):
    """Ranks."""

    @operation(
        "Whom answers name most",
        name="mentions_leaderboard",
        tag=TAG,
        query=LeaderboardQuery,
        answers={200: LeaderboardShown},
    )
    def get(self, request: Request, query: LeaderboardQuery) -> LeaderboardShown:
        """People by the number of answers that name them; of equals the one named last comes first."""
        ranked = mentions.leaderboard(tier=query.tier, first=query.first, last=query.last, limit=query.limit)
        return LeaderboardShown(
            tier=query.tier, items=[_rank(number, each) for number, each in enumerate(ranked, start=1)]
        )


class Counts(TenantView):
    """One person's numbers."""

    @operation(
        "How often answers name somebody",
        name="mentions_counts",
        tag=TAG,
        query=CountsQuery,
        answers={200: CountsShown},
        refuses=[404],
    )
    def get(self, request: Request, query: CountsQuery) -> CountsShown:
        """Numbers of one person."""
        found = mentions.counts(**query.named(), first=query.first, last=query.last)
        return CountsShown(
            principal_ref=found.principal.ref,
            display_name=found.principal.display_name,
            total=found.total,
            content_sourced=found.content_sourced,
            by_channel=ChannelCounts(**found.by_channel),
            by_matched_via=WayCounts(**found.by_matched_via),
            first_mentioned_at=found.first_mentioned_at,
            last_mentioned_at=found.last_mentioned_at,
        )


class Details(TenantView):
    """One person's mentions."""

    @operation(
        "The answers that name somebody",
        name="mentions_details",
        tag=TAG,
        query=DetailsQuery,
        answers={200: Page[MentionShown]},
        refuses=[404],
    )
    def get(self, request: Request, query: DetailsQuery) -> Page[MentionShown]:
        """The newest first."""
        rows = mentions.details(**query.named(), first=query.first, last=query.last)
        return page_of(rows, query, by="mentioned_at", show=_mention)


def _rank(number: int, each: Ranked) -> RankShown:
    return RankShown(
        rank=number,
        principal_ref=each.principal.ref,
        display_name=each.principal.display_name,
        tier=each.principal.tier,
        mentions=each.mentions,
        content_sourced=each.content_sourced,
        last_mentioned_at=each.last_mentioned_at,
    )


def _mention(row: Any) -> MentionShown:
    return MentionShown(
        id=row.pk,
        mentioned_at=row.mentioned_at,
        channel=row.channel,
        matched_via=row.matched_via,
        content_sourced=row.content_sourced,
        message_id=row.conversation_id,
        exchange_key=row.exchange_key,
        thread_key=row.thread_key,
        excerpt=row.excerpt,
    )
