"""The log as programs read it: filtered, searched within bounds, counted by channel (contract §12.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from apps.agent.models import ConversationLog
from apps.agent.models.conversations import CHANNELS
from apps.tenancy import days, principals
from apps.tenancy.models import Principal

# No index answers "contains", so one request looks through so many messages at most and says where to go on.
SEARCHED_AT_ONCE: Final = 10_000
_MENTION = re.compile(r"<@([UW][A-Z0-9]{1,63})(?:\|[^>]*)?>")

Position = tuple[datetime, UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which messages. ``text`` is looked for in message and subject, whatever the case."""

    principal_ref: str | None = None
    channel: str | None = None
    text: str = field(default="", repr=False)
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """Some messages, the newest first; ``more`` is where to go on, also when nothing was found up to there.

    Each row carries ``person_ref`` and ``person_name``. ``counts`` are of all channels, whichever was asked for.
    """

    rows: list[Any] = field(repr=False)
    more: Position | None
    counts: dict[str, int]
    mention_labels: dict[str, str]


def messages(wanted: Wanted, *, after: Position | None, limit: int) -> Messages:
    """One page; raises :class:`NotFound` for a person who is not known."""
    everywhere = _filtered(replace(wanted, channel=None))
    here = everywhere.filter(channel=wanted.channel) if wanted.channel else everywhere
    if after is not None:
        at, last = after
        here = here.filter(Q(message_at__lt=at) | Q(message_at=at, pk__lt=last), message_at__lte=at)
    looked_at, end = _containing(here, wanted.text)
    found = list(_named(looked_at.order_by("-message_at", "-pk"))[: limit + 1])
    rows = found[:limit]
    return Messages(
        rows=rows,
        more=(rows[-1].message_at, rows[-1].pk) if len(found) > limit else end,
        counts=_counts(_containing(everywhere, wanted.text)[0]),
        mention_labels=labels(row.message_text for row in rows),
    )


def labels(texts: Iterable[str]) -> dict[str, str]:
    """The names of people whom texts mention by Slack id; those nobody knows are left out."""
    ids = {found for text in texts for found in _MENTION.findall(text)}
    known = Principal.objects.filter(slack_user_id__in=ids).values_list("slack_user_id", "display_name")
    return {slack_id: name for slack_id, name in known if name}


def _filtered(wanted: Wanted) -> QuerySet[ConversationLog]:
    rows = days.within(ConversationLog.objects.all(), wanted.first, wanted.last, by="message_at")
    if wanted.principal_ref is not None:
        rows = rows.filter(principal=principals.chosen(ref=wanted.principal_ref))
    return rows


def _containing(
    rows: QuerySet[ConversationLog], text: str
) -> tuple[QuerySet[ConversationLog], Position | None]:
    """Of the newest so many rows those that hold the text, and where these many end if there are more.

    The bound is a place rather than a number, so that the database reads a stretch of the index and no other row.
    Django escapes the signs that mean something to LIKE.
    """
    if not text:
        return rows, None
    holding = rows.filter(Q(message_text__icontains=text) | Q(subject__icontains=text))
    places = rows.order_by("-message_at", "-pk").values_list("message_at", "pk")
    end = next(iter(places[SEARCHED_AT_ONCE - 1 : SEARCHED_AT_ONCE]), None)
    if end is None:
        return holding, None
    at, last = end
    return holding.filter(Q(message_at__gt=at) | Q(message_at=at, pk__gte=last), message_at__gte=at), end


def _named(rows: QuerySet[ConversationLog]) -> QuerySet[ConversationLog]:
    # Not a join: the key is held by id alone, and the subquery asks for this tenant's people.
    person = Principal.objects.filter(pk=OuterRef("principal_id"))
    return rows.annotate(
        person_ref=Subquery(person.values("ref")[:1]),
        person_name=Subquery(person.values("display_name")[:1]),
    )


def _counts(rows: QuerySet[ConversationLog]) -> dict[str, int]:
    counted = dict(rows.order_by().values_list("channel").annotate(Count("pk")))
    return {channel: counted.get(channel, 0) for channel in CHANNELS}
