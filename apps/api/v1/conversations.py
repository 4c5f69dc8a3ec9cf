"""/conversations: what was said, and how much of it (contract §12.2)."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from rest_framework.request import Request

from apps.agent import conversation_analytics, conversation_lists
from apps.agent.conversation_analytics import Tally
from apps.agent.conversation_lists import SEARCHED_AT_ONCE, Wanted
from apps.api.calendar import Days
from apps.api.operation import TenantView, operation
from apps.api.paging import Page, Paged, cursor_at, read_cursor
from apps.api.persons import Ref
from apps.api.reading import Query, SearchWords

TAG = "Conversations"
Channel = Literal["slack", "email", "api", "web"]


class MessagesQuery(Days, Paged):
    """Which messages."""

    principal_ref: Annotated[
        Ref | None, Field(description="Only this person's; without it the whole community's.")
    ] = None
    channel: Annotated[Channel | None, Field(description="Only this channel's.")] = None
    q: Annotated[
        SearchWords | None, Field(description="Text the message or its subject holds, whatever the case.")
    ] = None


class PersonShown(BaseModel):
    """Whose conversation it is."""

    ref: str
    display_name: str


class MessageShown(BaseModel):
    """One message, in or out."""

    id: UUID
    direction: Literal["inbound", "outbound"]
    channel: Channel
    source: str
    status: str
    text: str
    subject: str
    message_at: datetime
    principal: PersonShown | None = Field(description="Null for strangers.")
    thread_key: str
    exchange_key: str = Field(description="The same for a message and its answer.")
    trace_id: str | None
    slack_user_id: str
    slack_channel_id: str
    slack_thread_ts: str
    from_email: str
    to_email: str


class ChannelCounts(BaseModel):
    """Messages by channel."""

    slack: int
    email: int
    api: int
    web: int


class MessagesShown(Page[MessageShown]):
    """Some messages, the newest first. With `q` a page may be short, even empty, while there is a next one."""

    counts: ChannelCounts = Field(
        description=(
            "All that fits the filters, `channel` and `cursor` aside;"
            f" with `q` among the newest {SEARCHED_AT_ONCE:,} messages of the filters."
        )
    )
    mention_labels: dict[str, str] = Field(
        description="The names of people whom these messages mention by Slack id.",
        examples=[{"U0ADA": "Ada"}],
    )


class AnalyticsQuery(Days, Query):
    """Which days, and how they are grouped."""

    group_by: Annotated[Literal["day", "week", "month"], Field(description="Weeks begin on Monday.")] = "day"
    principal_ref: Annotated[Ref | None, Field(description="Only this person's messages.")] = None


class TallyShown(BaseModel):
    """What was said in some time."""

    messages: int
    inbound: int
    outbound: int
    exchanges: int
    people: int = Field(description="Known people; strangers are not told apart.")
    by_channel: ChannelCounts


class GroupShown(TallyShown):
    """What was said in a day, week or month."""

    start: date = Field(description="Its first day.")


class AnalyticsShown(BaseModel):
    """The whole, and the days, weeks or months in which something was said, the oldest first."""

    timezone: str = Field(description="On whose clocks days begin and end.", examples=["Europe/Lisbon"])
    group_by: Literal["day", "week", "month"]
    totals: TallyShown
    groups: list[GroupShown] = Field(description="The newest 1,000 of them.")


class Conversations(TenantView):
    """The log."""

    @operation(
        "What was said",
        name="conversations_list",
        tag=TAG,
        query=MessagesQuery,
        answers={200: MessagesShown},
        refuses=[404],
    )
    def get(self, request: Request, query: MessagesQuery) -> MessagesShown:
        """Messages of the community, or of one person, the newest first."""
        found = conversation_lists.messages(
            Wanted(
                principal_ref=query.principal_ref,
                channel=query.channel,
                text=query.q or "",
                first=query.first,
                last=query.last,
            ),
            after=None if query.cursor is None else read_cursor(query.cursor),
            limit=query.limit,
        )
        return MessagesShown(
            items=[_message(row) for row in found.rows],
            next_cursor=None if found.more is None else cursor_at(*found.more),
            counts=ChannelCounts(**found.counts),
            mention_labels=found.mention_labels,
        )


class Analytics(TenantView):
    """The numbers."""

    @operation(
        "How much was said",
        name="conversations_analytics",
        tag=TAG,
        query=AnalyticsQuery,
        answers={200: AnalyticsShown},
        refuses=[404],
    )
    def get(self, request: Request, query: AnalyticsQuery) -> AnalyticsShown:
        """Counts by day, week or month of the community's time zone. Those without a message are left out."""
        found = conversation_analytics.analytics(
            group_by=query.group_by,
            first=query.first,
            last=query.last,
            principal_ref=query.principal_ref,
        )
        return AnalyticsShown(
            timezone=found.timezone,
            group_by=query.group_by,
            totals=TallyShown(**_tally(found.totals)),
            groups=[GroupShown(start=group.start, **_tally(group)) for group in found.groups],
        )


def _message(row: Any) -> MessageShown:
    trace_id = row.metadata.get("trace_id") if isinstance(row.metadata, dict) else None
    return MessageShown(
        id=row.pk,
        direction=row.direction,
        channel=row.channel,
        source=row.source,
        status=row.status,
        text=row.message_text,
        subject=row.subject,
        message_at=row.message_at,
        principal=None
        if row.person_ref is None
        else PersonShown(ref=row.person_ref, display_name=row.person_name),
        thread_key=row.thread_key,
        exchange_key=row.exchange_key,
        trace_id=trace_id if isinstance(trace_id, str) else None,
        slack_user_id=row.slack_user_id,
        slack_channel_id=row.slack_channel_id,
        slack_thread_ts=row.slack_thread_ts,
        from_email=row.from_email,
        to_email=row.to_email,
    )


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "messages": tally.messages,
        "inbound": tally.inbound,
        "outbound": tally.outbound,
        "exchanges": tally.exchanges,
        "people": tally.people,
        "by_channel": ChannelCounts(**tally.by_channel),
    }
