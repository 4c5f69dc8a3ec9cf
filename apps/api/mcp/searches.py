"""The three searches: no model writes or reorders anything, so that a client can reason for itself (contract §12.3)."""

from __future__ import annotations

from datetime import datetime

from apps.agent.tools.execution import NOT_OFFERED, members_surface, person_surface
from apps.agent.tools.surface import Surface
from apps.agent.turn_values import Caller
from apps.api.mcp.pages import uri_of
from apps.api.mcp.shapes import (
    ExpertFound,
    ExpertsFound,
    MessageFound,
    MessagesFound,
    PageFound,
    PagesFound,
    SearchKnowledge,
    SearchSlack,
    WhoKnows,
)
from apps.foundation.errors import NotFound, Unavailable
from apps.knowledge.retrieval.pages import Passage, search_pages
from apps.knowledge.retrieval.slack import SlackMatch, expertise, search_messages

FAILED = "The search failed. Do not conclude that nothing is there; it can be tried again."


def search_knowledge(asked: SearchKnowledge) -> PagesFound:
    """Passages that the person, or without one a member, may see."""
    surface = _open("search_knowledge_base", asked.someone())
    found = search_pages(asked.query, audience=surface.asker.audience, limit=asked.limit, rerank=False)
    _unless_failed(found.status)
    return PagesFound(
        status=found.status,
        degraded=list(found.degraded),
        results=[_page(passage) for passage in found.passages],
    )


def search_slack(asked: SearchSlack) -> MessagesFound:
    """What is indexed is public, so all to whom the search is open find the same."""
    _open("search_slack_messages", asked.someone())
    found = search_messages(asked.query, limit=asked.limit, rerank=False)
    _unless_failed(found.status)
    return MessagesFound(
        status=found.status,
        degraded=list(found.degraded),
        loose=found.loose,
        results=[_message(match) for match in found.matches],
    )


def who_knows(asked: WhoKnows) -> ExpertsFound:
    """Whoever asks is not told of themselves."""
    surface = _open("who_knows", asked.someone())
    found = expertise.who_knows(asked.topic, limit=asked.limit, without=surface.asker.person.slack_user_id)
    _unless_failed(found.status)
    return ExpertsFound(
        status=found.status,
        degraded=list(found.degraded),
        results=[
            ExpertFound(
                name=expert.name,
                slack_user_id=expert.user_id,
                messages_on_topic=expert.messages,
                last_wrote=_day(expert.last_at),
                evidence=[_message(match) for match in expert.evidence],
            )
            for expert in found.experts
        ],
    )


def _open(tool: str, someone: Caller | None) -> Surface:
    """The surface, if the agent's own tool of this kind is on it: a client sees no more than the agent would."""
    surface = person_surface(someone) if someone is not None else members_surface()
    if tool not in {offered.name for offered in surface.tools}:
        raise NotFound(NOT_OFFERED)
    return surface


def _unless_failed(status: str) -> None:
    if status == "failed":
        raise Unavailable(FAILED)


def _page(passage: Passage) -> PageFound:
    return PageFound(
        title=passage.page_title,
        slug=passage.slug,
        uri=uri_of(passage.slug),
        source_url=passage.source_url,
        section=passage.section,
        text=passage.text,
        nearby=list(passage.neighbors),
        author=passage.author_name,
        source_type=passage.source_type,
        score=passage.score,
    )


def _message(match: SlackMatch) -> MessageFound:
    return MessageFound(
        kind=match.kind,
        channel=f"#{match.channel_name}" if match.channel_name else None,
        author=match.user_name,
        author_slack_id=match.user_id,
        date=_day(match.date),
        text=match.text,
        question=match.question,
        resolution=match.resolution,
        in_reply_to=match.parent_text,
        permalink=match.permalink,
        score=match.relevance_score,
    )


def _day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None
