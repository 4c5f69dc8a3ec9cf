"""The four tools for what a person wrote in public Slack channels (contract §5.1)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.agent.tools.person import TurnPerson
from apps.agent.tools.sentences import Execute, with_sentences
from apps.knowledge.slack_index import contributions
from apps.knowledge.slack_index.contributions import Changed, Contribution

EXCERPT_CHARS: Final = 400
NONE_YET: Final = "No message of this person is in the index."
WITHDRAWN: Final = "Searches no longer find the message. In Slack it stays where it is."
STILL_AN_ENTRY: Final = (
    "Entries of the knowledge base were drawn from it and are still there; offer to delete them with "
    "delete_my_extracted_knowledge_entry."
)
_NOTHING: Final = {"type": "object", "properties": {}, "additionalProperties": False}
_ONE: Final = {
    "type": "object",
    "properties": {
        "contribution_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "description": "The id as list_my_slack_contributions gives it.",
        }
    },
    "required": ["contribution_id"],
    "additionalProperties": False,
}
_LINK: Final = {
    "type": "object",
    "properties": {
        "permalink": {
            "type": "string",
            "minLength": 1,
            "maxLength": 600,
            "description": "The message's link as Slack copies it.",
        }
    },
    "required": ["permalink"],
    "additionalProperties": False,
}


def list_my_slack_contributions(asker: TurnPerson) -> Tool | None:
    """Their messages that searches find."""

    def execute(_arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        found = [_told(each) for each in contributions.list_contributions(asker.person)]
        told: dict[str, Any] = {"contributions": found, "count": len(found)}
        return _done(told if found else told | {"isEmpty": True, "guidance": NONE_YET})

    return _tool(
        asker,
        "list_my_slack_contributions",
        "Lists the latest public Slack messages of the person who asks that searches here can find, with their ids.",
        "Looking up your contributions",
        _NOTHING,
        execute,
        mutates=False,
    )


def add_my_slack_contribution(asker: TurnPerson) -> Tool | None:
    """A public message of theirs into the index."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        return _done(_changed(contributions.add_contribution(asker.person, arguments["permalink"])))

    return _tool(
        asker,
        "add_my_slack_contribution",
        "Adds a public Slack message that the person who asks wrote to what searches here find, also one they removed.",
        "Adding your message",
        _LINK,
        execute,
    )


def refresh_my_slack_contribution(asker: TurnPerson) -> Tool | None:
    """What the message says now."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        changed = contributions.refresh_contribution(asker.person, arguments["contribution_id"])
        return _done(_changed(changed))

    return _tool(
        asker,
        "refresh_my_slack_contribution",
        "Reads a message of the person who asks from Slack again, after they edited or deleted it there.",
        "Refreshing your message",
        _ONE,
        execute,
    )


def remove_my_slack_contribution(asker: TurnPerson) -> Tool | None:
    """Out of the index, not out of Slack."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        slugs = contributions.remove_contribution(asker.person, arguments["contribution_id"])
        drawn = {"entries_drawn_from_it": slugs, "guidance": STILL_AN_ENTRY} if slugs else {}
        return _done({"status": "removed", "note": WITHDRAWN, **drawn})

    return _tool(
        asker,
        "remove_my_slack_contribution",
        "Takes a message of the person who asks out of what searches here find; it is never deleted from Slack.",
        "Removing your message",
        _ONE,
        execute,
    )


def _tool(
    asker: TurnPerson,
    name: str,
    description: str,
    label: str,
    parameters: dict[str, Any],
    execute: Execute,
    *,
    mutates: bool = True,
) -> Tool | None:
    """For people with a Slack account that is known; others have no contributions."""
    if not asker.is_recognized or not asker.person.slack_user_id:
        return None
    return Tool(
        name=name,
        description=description,
        label=label,
        parameters=parameters,
        execute=with_sentences(execute),
        mutates=mutates,
    )


def _changed(changed: Changed) -> dict[str, Any]:
    told = {"contribution": _told(changed.contribution)} if changed.contribution else {}
    return {"status": changed.state, **told}


def _told(contribution: Contribution) -> dict[str, Any]:
    shown = {
        "contribution_id": str(contribution.id),
        "channel": f"#{contribution.channel}",
        "date": contribution.written_at.date().isoformat(),
        "text": contribution.text[:EXCERPT_CHARS],
        "in_thread": contribution.in_thread,
        "permalink": contribution.permalink,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _done(data: dict[str, Any]) -> ToolResult:
    return {"success": True, "data": data}
