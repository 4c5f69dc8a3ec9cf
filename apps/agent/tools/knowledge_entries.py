"""``save_knowledge_entry``: what a member tells in a direct message becomes a page of theirs (contract §5.1)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.foundation.errors import RootError
from apps.knowledge.member_entries import (
    MAX_CATEGORY_CHARS,
    MAX_CONTENT_CHARS,
    MAX_TITLE_CHARS,
    Entry,
    save_entry,
)

NAME: Final = "save_knowledge_entry"

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "title": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_TITLE_CHARS,
            "description": "What the entry is about, as somebody would look for it.",
        },
        "content": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_CONTENT_CHARS,
            "description": "All of the entry in Markdown, in the person's own words and without what they did not say.",
        },
        "category": {
            "type": ["string", "null"],
            "maxLength": MAX_CATEGORY_CHARS,
            "description": "A word or two for the kind of entry, if the person named one.",
        },
        "update_slug": {
            "type": ["string", "null"],
            "maxLength": 200,
            "description": "The slug of an entry of this person that this one replaces; left out for a new entry.",
        },
    },
    "required": ["title", "content"],
    "additionalProperties": False,
}


def save_knowledge_entry(asker: TurnPerson) -> Tool | None:
    """The tool, for recognized people in a direct message on Slack; nowhere else."""
    if asker.channel != "slack" or not asker.in_private_dm or not asker.is_recognized:
        return None

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            saved = save_entry(asker.person, Entry(**given))
        except RootError as error:
            return failed(error.message, code=error.code)
        data = {"status": saved.status, "slug": saved.page.slug, "title": saved.page.title}
        return {"success": True, "data": data}

    return Tool(
        name=NAME,
        description=(
            "Saves what the person wrote as an entry of the community's knowledge base under their name, or replaces "
            "an entry of theirs. Use it only when they asked for that and have seen what will be saved."
        ),
        label="Saving your entry",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=True,
        channels=frozenset({"slack"}),
    )
