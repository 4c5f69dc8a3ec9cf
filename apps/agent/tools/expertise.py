"""``who_knows``: people who wrote about a topic, with the messages that show it (contract §5.1)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.knowledge.retrieval.slack import expertise
from apps.knowledge.retrieval.slack.expertise import Expert, ExpertsOutcome
from apps.knowledge.retrieval.slack.matches import SlackMatch
from apps.knowledge.retrieval.slack.reaching import how_far_back

EXCERPT_CHARS: Final = 300
SEARCH_FAILED: Final = (
    "It could not be looked up just now who wrote about this. Do not conclude that nobody knows; say that it can be "
    "tried again."
)
NOBODY_FOUND: Final = (
    "Nobody's indexed Slack messages are about this. That does not mean nobody knows: a directory of members may name "
    "somebody."
)
PARTLY_SEARCHED: Final = "Only a part of the search worked, so others may know about it too."
ONLY_TALK: Final = (
    "These people wrote about the topic; whether they know it well is for the reader of the linked messages to judge. "
    "Name the messages beside the people."
)
ASK_IN_PUBLIC: Final = (
    "Since this is a private conversation, you may add that the question could also be put to everybody in a fitting "
    "public channel."
)

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "topic": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "description": "The subject or skill, in a few plain words.",
        },
        "limit": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": expertise.MAX_LIMIT,
            "description": f"How many people at most; {expertise.DEFAULT_LIMIT} unless more are asked for.",
        },
    },
    "required": ["topic"],
    "additionalProperties": False,
}


def who_knows(asker: TurnPerson) -> Tool:
    """The tool; whoever asks is not told of themselves."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        outcome = expertise.who_knows(
            arguments["topic"],
            limit=arguments.get("limit") or expertise.DEFAULT_LIMIT,
            without=asker.person.slack_user_id,
        )
        if outcome.status == "failed":
            return failed(SEARCH_FAILED)
        return {"success": True, "data": _told(outcome, in_private=asker.in_private_dm)}

    return Tool(
        name="who_knows",
        description=(
            "Finds people of the community who wrote about a topic in public Slack channels, with links to what they "
            "wrote. For questions about whom to ask or who has experience with something."
        ),
        label="Finding out who knows about this",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=False,
    )


def _told(outcome: ExpertsOutcome, *, in_private: bool) -> dict[str, Any]:
    partly = outcome.status == "partial"
    aside = [ASK_IN_PUBLIC] if in_private else []
    if outcome.experts:
        guidance = [ONLY_TALK, *([PARTLY_SEARCHED] if partly else []), *aside]
        people = [_person(expert) for expert in outcome.experts]
        return {"status": outcome.status, "results": people, "guidance": " ".join(guidance)}
    guidance = [PARTLY_SEARCHED if partly else NOBODY_FOUND, how_far_back(), *aside]
    if partly:
        # An empty list would count as an answer.
        return {"status": "partial", "degraded": list(outcome.degraded), "guidance": " ".join(guidance)}
    return {"status": "empty", "results": [], "isEmpty": True, "guidance": " ".join(guidance)}


def _person(expert: Expert) -> dict[str, Any]:
    return {
        "name": expert.name,
        "slack_user_id": expert.user_id,
        "messages_on_topic": expert.messages,
        "last_wrote": expert.last_at.date().isoformat() if expert.last_at else None,
        "evidence": [_evidence(message) for message in expert.evidence],
    }


def _evidence(message: SlackMatch) -> dict[str, Any]:
    shown = {
        "channel": f"#{message.channel_name}" if message.channel_name else None,
        "date": message.date.date().isoformat() if message.date else None,
        "excerpt": message.text[:EXCERPT_CHARS],
        "permalink": message.permalink,
    }
    return {name: value for name, value in shown.items() if value}
