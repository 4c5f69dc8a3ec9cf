"""``search_knowledge_base``: the community's own pages (contract §5.1, §10.2)."""

from __future__ import annotations

from typing import Any

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.knowledge.retrieval.pages import Passage, SearchOutcome, search_pages

NOTHING_FOUND = (
    "Nothing in the knowledge base matched this wording. That does not mean the thing does not exist: try once with "
    "the name or topic said differently, use another tool that fits, or say what you looked for and offer to pass "
    "the question to the team."
)
SEARCH_FAILED = (
    "The knowledge base could not be searched just now. Do not conclude that something is absent; say that the "
    "search failed and can be tried again."
)
PARTLY_SEARCHED_IN_VAIN = (
    "Only a part of the search worked, and that part found nothing. Do not conclude that something is absent; say that "
    "the search was incomplete and can be tried again."
)
PARTLY_SEARCHED = "Only a part of the search worked, so more may exist than is listed here."

_PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "What to look for, in plain words: the topic and the names that matter.",
        }
    },
    "required": ["query"],
    "additionalProperties": False,
}


def search_knowledge_base(asker: TurnPerson) -> Tool:
    """The tool, bound to what the asker may see."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        outcome = search_pages(arguments["query"], audience=asker.audience)
        if outcome.status == "failed":
            return failed(SEARCH_FAILED, flight=_flight(outcome))
        return {"success": True, "data": _told(outcome), "flight": _flight(outcome)}

    return Tool(
        name="search_knowledge_base",
        description=(
            "Searches the community's own knowledge base: rules, programme, events, benefits, places, contacts and "
            "how things are done. One well-worded search usually finds all there is."
        ),
        label="Searching the knowledge base",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=False,
    )


def _told(outcome: SearchOutcome) -> dict[str, Any]:
    partly = outcome.status == "partial"
    if not outcome.passages:
        # An empty list would count as an answer; half a search that found nothing is none.
        return (
            {"status": "partial", "degraded": list(outcome.degraded), "guidance": PARTLY_SEARCHED_IN_VAIN}
            if partly
            else {"status": outcome.status, "results": [], "isEmpty": True, "guidance": NOTHING_FOUND}
        )
    told = {"status": outcome.status, "results": [_passage(passage) for passage in outcome.passages]}
    return told | {"guidance": PARTLY_SEARCHED} if partly else told


def _flight(outcome: SearchOutcome) -> dict[str, Any]:
    """How the search went, for the record of the turn; the model does not see it."""
    return {
        "status": outcome.status,
        "ranking": outcome.ranking,
        "degraded": list(outcome.degraded),
        "dropped": outcome.dropped,
        "refs": [{"slug": p.slug, "section": p.section, "score": p.score} for p in outcome.passages],
        **outcome.flight.as_json(),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    shown = {
        "title": passage.page_title,
        "slug": passage.slug,
        "url": passage.source_url,
        "section": _below_title(passage),
        "text": _without_breadcrumb(passage.text, passage.section),
        "nearby": [_without_breadcrumb(text, passage.section) for text in passage.neighbors],
        "author": passage.author_name,
        "source_type": passage.source_type,
    }
    return {name: value for name, value in shown.items() if value}


def _without_breadcrumb(text: str, section: str | None) -> str:
    # The breadcrumb is there for searching; the model reads it once, as the section.
    return text.removeprefix(section).lstrip() if section else text


def _below_title(passage: Passage) -> str | None:
    if passage.section is None or passage.section == passage.page_title:
        return None
    return passage.section.removeprefix(f"{passage.page_title} > ")
