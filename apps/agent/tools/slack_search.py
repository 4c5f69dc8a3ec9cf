"""``search_slack_messages``: what the community said in public (contract §5.1, §10.3)."""

from __future__ import annotations

import json
from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.knowledge.retrieval.slack import SlackMatch, SlackOutcome, search_messages
from apps.knowledge.retrieval.slack.reaching import how_far_back

MOST_MATCHES: Final = 25
TEXT_CHARS: Final = 1_200
# Below what the kernel cuts at, so that it never has to.
RESULT_CHARS: Final = 50_000
SEARCH_FAILED: Final = (
    "Slack could not be searched just now. Do not conclude that nobody wrote about this; say that the search failed "
    "and can be tried again."
)
NOTHING_FOUND: Final = (
    "No indexed Slack message matched. That does not mean nobody ever wrote about it: try once with other words or a "
    "name, or another tool that fits."
)
PARTLY_SEARCHED_IN_VAIN: Final = (
    "Only a part of the search worked, and it found nothing. Do not conclude that nobody wrote about this."
)
PARTLY_SEARCHED: Final = "Only a part of the search worked, so more may exist than is listed here."
ONLY_NEAR: Final = (
    "No message holds the words that were asked for; these are merely the nearest, and may be about something else. "
    "Say so if none of them answers the question."
)

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": (
                "What to look for, in plain words, never an id. A link to a Slack message may stand in it."
            ),
        }
    },
    "required": ["query"],
    "additionalProperties": False,
}


def search_slack_messages(_asker: TurnPerson) -> Tool:
    """The tool; what is indexed is public, so everybody who is offered it finds the same."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        outcome = search_messages(arguments["query"])
        if outcome.status == "failed":
            return failed(SEARCH_FAILED, flight=_flight(outcome, shown=0))
        told = _told(outcome)
        shown = len(told.get("results", []))
        return {"success": True, "data": told, "flight": _flight(outcome, shown=shown)}

    return Tool(
        name="search_slack_messages",
        description=(
            "Searches what people wrote in the community's public Slack channels, with summaries of whole threads: "
            "discussions, recommendations, experiences, who said what. It is talk, not policy."
        ),
        label="Searching Slack",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=False,
    )


def _told(outcome: SlackOutcome) -> dict[str, Any]:
    partly = outcome.status == "partial"
    if not outcome.matches:
        reach = how_far_back()
        # An empty list would count as an answer; half a search that found nothing is none.
        return (
            {
                "status": "partial",
                "degraded": list(outcome.degraded),
                "guidance": f"{PARTLY_SEARCHED_IN_VAIN} {reach}",
            }
            if partly
            else {"status": "empty", "results": [], "isEmpty": True, "guidance": f"{NOTHING_FOUND} {reach}"}
        )
    results = _fitting([_match(match) for match in outcome.matches[:MOST_MATCHES]])
    told: dict[str, Any] = {"status": outcome.status, "results": results}
    if more := len(outcome.matches) - len(results):
        told["more"] = f"{more} further matches were left out; ask more precisely to see them."
    guidance = [PARTLY_SEARCHED] if partly else []
    guidance += [f"{ONLY_NEAR} {how_far_back()}"] if outcome.loose else []
    return told | ({"guidance": " ".join(guidance)} if guidance else {})


def _fitting(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first ones, as many as the kernel takes uncut."""
    kept, room = [], RESULT_CHARS
    for result in results:
        room -= len(json.dumps(result, ensure_ascii=False))
        if room < 0:
            break
        kept.append(result)
    return kept


def _match(match: SlackMatch) -> dict[str, Any]:
    shown = {
        "kind": match.kind,
        "channel": f"#{match.channel_name}" if match.channel_name else None,
        "author": match.user_name,
        "author_slack_id": match.user_id,
        "date": match.date.date().isoformat() if match.date else None,
        "question": match.question[:TEXT_CHARS],
        "text": match.text[:TEXT_CHARS],
        "resolution": match.resolution[:TEXT_CHARS],
        "topics": list(match.topics),
        "in_reply_to": match.parent_text,
        "permalink": match.permalink,
        "channel_id": match.channel_id,
        "message_ts": match.message_ts,
    }
    return {name: value for name, value in shown.items() if value}


def _flight(outcome: SlackOutcome, *, shown: int) -> dict[str, Any]:
    """How the search went, for the record of the turn; the model does not see it."""
    flight = outcome.flight.as_json()
    flight["cut"] += [{"ref": match.ref, "why": "tool_limit"} for match in outcome.matches[shown:]]
    return {
        "status": outcome.status,
        "ranking": outcome.ranking,
        "degraded": list(outcome.degraded),
        "dropped": outcome.dropped,
        "refs": [{"ref": match.ref, "score": match.relevance_score} for match in outcome.matches[:shown]],
        **flight,
    }
