"""``search_current_events``: what the live web says today (contract §5.1)."""

from __future__ import annotations

from typing import Any

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.integrations.llm import web_research
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.web_research import RECENCIES, Research, research

# Three attempts of the research call with their pauses, and a little.
TIMEOUT_SECONDS = 3 * web_research.TIMEOUT_SECONDS + 15

NOT_AVAILABLE = (
    "Live web search is not available here. Answer from what the other tools returned and say that nothing current "
    "could be looked up. Never present what you remember as news."
)
TOO_LATE = (
    "The web search did not finish in time, so nothing is known from it. Do not conclude that nothing has happened. "
    "Say that the search failed and can be tried again, perhaps with a narrower question."
)
SEARCH_FAILED = (
    "The web could not be searched just now, so nothing is known from it. Do not conclude that nothing has happened; "
    "say that the search failed and can be tried again later."
)
UNSOURCED = "No pages were named for this, so treat it as unconfirmed and say so."
INCOMPLETE = "The report was cut off before its end, so more may have been found than is told here."

_UNAVAILABLE_CODES = frozenset(
    {"no_web_research", "no_api_key", "no_model", "unauthorized", "payment_required", "forbidden"}
)
_PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "maxLength": 2000,
            "description": "What to look up, understandable by itself. Left out, the person's message is used.",
        },
        "recency": {
            "type": "string",
            "enum": list(RECENCIES),
            "description": "Only what was published within this span. Leave it out unless freshness decides.",
        },
    },
    "additionalProperties": False,
}


def search_current_events(asker: TurnPerson) -> Tool:
    """The tool, bound to the person's message; not available where no model can search the web."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        question = str(arguments.get("query") or "").strip() or asker.message
        try:
            return {"success": True, "data": _told(research(question, recency=arguments.get("recency")))}
        except LlmFailure as failure:
            return failed(_reason(failure), error_detail=f"web research: {failure.code}")

    return Tool(
        name="search_current_events",
        description=(
            "Looks up the live web: recent news, current events, developments in the world outside the community. "
            "Its results are public pages, not the community's own knowledge."
        ),
        label="Searching the web",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=False,
        timeout_seconds=TIMEOUT_SECONDS,
        available=web_research.is_connected(),
    )


def _told(found: Research) -> dict[str, Any]:
    told: dict[str, Any] = {
        "report": found.text,
        "sources": [
            {"number": page.number, "title": page.title, "url": page.url} for page in found.citations
        ],
    }
    notes = [*([] if found.citations else [UNSOURCED]), *([INCOMPLETE] if found.cut else [])]
    return told | ({"guidance": " ".join(notes)} if notes else {})


def _reason(failure: LlmFailure) -> str:
    if failure.code in _UNAVAILABLE_CODES:
        return NOT_AVAILABLE
    return TOO_LATE if failure.code == "timeout" else SEARCH_FAILED
