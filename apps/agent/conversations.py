"""The log of every exchange, and the history read back from it (contract §8.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agent.models import ConversationLog
from apps.foundation import clock
from apps.foundation.text import clean
from apps.knowledge.page_addresses import without_link_tokens
from apps.tenancy.models import Principal

HISTORY_ROWS = 20
SEGMENT_LIMIT = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9._@+-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMessage:
    """One message of a thread, as it was said."""

    direction: str
    text: str = field(repr=False)
    at: datetime
    metadata: dict[str, Any] = field(repr=False, default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What both rows of one exchange have in common."""

    key: str
    channel: str
    thread_key: str
    member_id: str
    principal: Principal | None
    source: str = "runtime"
    slack_user_id: str = ""
    slack_channel_id: str = ""
    slack_thread_ts: str = ""
    from_email: str = ""


def thread_key_for(channel: str, *, user: str, given: str | None) -> str:
    """``channel:user`` or ``channel:user:segment``. A key this function made for the same person is kept."""
    own = f"{channel}:{user}"
    if not given:
        return own
    if given == own or given.startswith(f"{own}:"):
        given = given[len(own) + 1 :]
    segment = _UNSAFE.sub("_", given)[:SEGMENT_LIMIT]
    return f"{own}:{segment}" if segment else own


def thread_history(
    thread_key: str, *, member: str, limit: int = HISTORY_ROWS, without: str | None = None
) -> list[LoggedMessage]:
    """The last ``limit`` messages of one person's thread, oldest first; not those of the exchange ``without``.

    The person is asked for beside the key: references may hold colons, so that two people's keys can be equal.
    """
    found = ConversationLog.objects.filter(thread_key=thread_key, member_id=member)
    if without is not None:
        found = found.exclude(exchange_key=without)
    rows = found.order_by("-message_at", "-created_at")[:limit]
    return [
        LoggedMessage(
            direction=row.direction, text=row.message_text, at=row.message_at, metadata=row.metadata
        )
        for row in reversed(rows)
    ]


def record_inbound(exchange: Exchange, *, text: str, metadata: dict[str, Any] | None = None) -> None:
    """Writes what the person said, before anything is done about it."""
    _write(exchange, direction="inbound", suffix="in", text=text, status="recorded", metadata=metadata or {})


def record_outbound(
    exchange: Exchange, *, text: str, status: str = "recorded", metadata: dict[str, Any]
) -> None:
    """Writes what was answered; a second answer under the same key changes nothing."""
    _write(exchange, direction="outbound", suffix="out", text=text, status=status, metadata=metadata)


def as_messages(history: Sequence[LoggedMessage]) -> list[dict[str, Any]]:
    """A thread in the shape a model reads."""
    return [
        {"role": "user" if message.direction == "inbound" else "assistant", "content": message.text}
        for message in history
        if message.text.strip()
    ]


def _write(
    exchange: Exchange, *, direction: str, suffix: str, text: str, status: str, metadata: dict[str, Any]
) -> None:
    row = ConversationLog(
        principal=exchange.principal,
        dedupe_key=f"{exchange.key}:{suffix}",
        exchange_key=exchange.key,
        member_id=exchange.member_id,
        channel=exchange.channel,
        direction=direction,
        source=exchange.source,
        status=status,
        message_text=without_link_tokens(clean(text)),
        message_at=clock.now(),
        thread_key=exchange.thread_key,
        slack_user_id=exchange.slack_user_id,
        slack_channel_id=exchange.slack_channel_id,
        slack_thread_ts=exchange.slack_thread_ts,
        from_email=exchange.from_email,
        metadata=metadata,
    )
    row.stamp_tenant()
    with transaction.atomic():
        ConversationLog.objects.bulk_create([row], ignore_conflicts=True)
