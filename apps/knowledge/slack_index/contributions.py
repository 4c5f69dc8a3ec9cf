"""What a member wrote in public and may add to the index, refresh or take out of it (contract §5.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from django.db.models import QuerySet

from apps.foundation.errors import BadInput, Forbidden, NotFound
from apps.integrations import identity
from apps.integrations.person import ResolvedPerson
from apps.integrations.slack import history
from apps.integrations.slack.reading import id_of
from apps.knowledge.models import KnowledgePage, ProcessedSlackMessage, SlackKnowledgeExtraction
from apps.knowledge.retrieval.slack.permalinks import Permalink, permalink_of
from apps.knowledge.slack_index.events import spoken, take_in
from apps.knowledge.slack_index.ingest import delete_message, restore_message, withdraw_message
from apps.knowledge.slack_index.lookup import Lookup
from apps.tenancy import principals

LIST_LIMIT: Final = 50
NO_ACCOUNT: Final = "Contributions belong to a Slack account, and none is known for this person."
NOT_THERE: Final = "There is no such contribution of this person."
_REFUSED: Final = {
    "not_public": "Only messages in public channels can be added.",
    "not_human": "Only messages that a person wrote can be added.",
    "too_short": "That message says too little to be worth finding.",
}

State = Literal["added", "already_there", "refreshed", "unchanged", "deleted_in_slack"]


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """One of a member's messages in the index."""

    id: UUID
    channel: str
    text: str = field(repr=False)
    written_at: datetime
    permalink: str | None
    in_thread: bool


@dataclass(frozen=True, kw_only=True)
class Changed:
    """What became of a contribution; None once Slack no longer has it."""

    state: State
    contribution: Contribution | None = None


def list_contributions(author: ResolvedPerson, *, limit: int = LIST_LIMIT) -> list[Contribution]:
    """The latest messages of theirs that searches can find; raises :class:`Forbidden`."""
    rows = rows_of(author).order_by("-message_date", "pk")
    return [told(row) for row in rows[: max(1, min(limit, LIST_LIMIT))]]


def rows_of(author: ResolvedPerson) -> QuerySet[ProcessedSlackMessage]:
    """All of them in no order, without what is only searched in; raises :class:`Forbidden`."""
    rows: QuerySet[ProcessedSlackMessage] = _of(author).filter(withdrawn_at__isnull=True)
    return rows.defer("embedding", "embedding_bq", "search_tsv", "trigrams", "normalized_text")


def author_named(
    *, ref: str | None = None, email: str | None = None, slack_user_id: str | None = None
) -> ResolvedPerson:
    """Whoever a program names; raises :class:`NotFound` for a reference nobody has."""
    if ref is not None and principals.by_ref(ref) is None:
        raise NotFound("Nobody here has this reference.")
    return identity.resolve(channel="api", ref=ref, email=email, slack_user_id=slack_user_id)


def told(row: ProcessedSlackMessage) -> Contribution:
    """A message as it is shown to its author."""
    return Contribution(
        id=row.pk,
        channel=row.channel_name or row.channel_id,
        text=row.message_text,
        written_at=row.message_date,
        permalink=row.permalink,
        in_thread=row.thread_ts is not None and row.thread_ts != row.message_ts,
    )


def add_contribution(author: ResolvedPerson, permalink: str) -> Changed:
    """Takes in a public message of theirs, also one they withdrew before. Asks Slack, so not in a transaction.

    Raises :class:`BadInput`, :class:`Forbidden`, :class:`NotFound`, ``SlackFailure``.
    """
    link = permalink_of(permalink)
    if link is None:
        raise BadInput("That is no link to a Slack message; in Slack it is called “Copy link”.")
    said = _own_words(author, link)
    state: State = "added" if _taken(said) == "created" else "already_there"
    if restore_message(link.channel_id, link.ts):
        state = "added"
    return Changed(state=state, contribution=told(_indexed(author, link)))


def refresh_contribution(author: ResolvedPerson, contribution_id: str) -> Changed:
    """Brings the index to what the message says now; one that is gone in Slack leaves the index.

    Raises :class:`Forbidden`, :class:`NotFound`, ``SlackFailure``. Not for use in a transaction.
    """
    row = _active(author, contribution_id)
    link = Permalink(row.channel_id, row.message_ts, row.thread_ts)
    try:
        said = _own_words(author, link)
    except NotFound:
        delete_message(row.channel_id, row.message_ts)
        return Changed(state="deleted_in_slack")
    state: State = "refreshed" if _taken(said) == "updated" else "unchanged"
    return Changed(state=state, contribution=told(_indexed(author, link)))


def remove_contribution(author: ResolvedPerson, contribution_id: str) -> list[str]:
    """Takes the message out of every search; in Slack it stays. Gives the slugs of entries once drawn from it.

    Raises :class:`Forbidden`, :class:`NotFound`.
    """
    row = _active(author, contribution_id)
    withdraw_message(row.channel_id, row.message_ts)
    drawn = SlackKnowledgeExtraction.objects.filter(channel_id=row.channel_id, message_ts=row.message_ts)
    pages = KnowledgePage.objects.filter(extracted_knowledge_id__in=list(drawn.values_list("pk", flat=True)))
    return list(pages.order_by("slug").values_list("slug", flat=True))


def _of(author: ResolvedPerson) -> Any:
    if not author.slack_user_id:
        raise Forbidden(NO_ACCOUNT)
    return ProcessedSlackMessage.objects.filter(user_id=author.slack_user_id).exclude(message_text="")


def _active(author: ResolvedPerson, contribution_id: str) -> ProcessedSlackMessage:
    mine = _of(author).filter(withdrawn_at__isnull=True)
    try:
        found: ProcessedSlackMessage | None = mine.filter(pk=UUID(contribution_id)).first()
    except (ValueError, AttributeError, TypeError):
        found = None
    if found is None:
        raise NotFound(NOT_THERE)
    return found


def _own_words(author: ResolvedPerson, link: Permalink) -> dict[str, Any]:
    """The message as Slack has it, when it is theirs and public; nothing is told of anybody else's."""
    if not author.slack_user_id:
        raise Forbidden(NO_ACCOUNT)
    lookup = Lookup.here()
    if not lookup.is_public({"channel": link.channel_id, "channel_type": ""}):
        raise Forbidden(_REFUSED["not_public"])
    message = history.one_message(link.channel_id, link.ts, thread_ts=link.thread_ts)
    if message is None:
        raise NotFound("Slack has no such message, or does not show it to this agent.")
    if id_of(message, "user") != author.slack_user_id:
        raise Forbidden("Only the person's own messages can be added.")
    said = spoken({"type": "message", **message, "channel": link.channel_id})
    if said is None:
        raise BadInput("That message holds nothing that could be indexed.")
    return said


def _taken(said: dict[str, Any]) -> str:
    outcome = take_in(said, lookup=Lookup.here())
    if outcome in _REFUSED:
        raise BadInput(_REFUSED[outcome])
    return outcome


def _indexed(author: ResolvedPerson, link: Permalink) -> ProcessedSlackMessage:
    row: ProcessedSlackMessage | None = (
        _of(author).filter(channel_id=link.channel_id, message_ts=link.ts).first()
    )
    if row is None:
        raise NotFound(NOT_THERE)
    return row
