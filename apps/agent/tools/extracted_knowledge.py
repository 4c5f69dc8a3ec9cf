"""The three tools for entries that were drawn from a person's Slack messages (contract §5.1)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.agent.tools.person import TurnPerson
from apps.agent.tools.sentences import with_sentences
from apps.knowledge.member_entries import MAX_CONTENT_CHARS, MAX_TITLE_CHARS
from apps.knowledge.models import KnowledgePage
from apps.knowledge.slack_index import extracted

EXCERPT_CHARS: Final = 600
NONE_YET: Final = "No entry of the knowledge base was drawn from this person's messages."
_SLUG: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "The slug as list_my_extracted_knowledge gives it.",
}
_NOTHING: Final = {"type": "object", "properties": {}, "additionalProperties": False}
_DELETE: Final = {
    "type": "object",
    "properties": {"slug": _SLUG},
    "required": ["slug"],
    "additionalProperties": False,
}
_UPDATE: Final = {
    "type": "object",
    "properties": {
        "slug": _SLUG,
        "title": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_TITLE_CHARS,
            "description": "The title it shall have; the old one again if that stays.",
        },
        "content": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_CONTENT_CHARS,
            "description": "All of the entry as it shall read, in Markdown.",
        },
    },
    "required": ["slug", "title", "content"],
    "additionalProperties": False,
}


def list_my_extracted_knowledge(asker: TurnPerson) -> Tool | None:
    """Entries drawn from their messages."""

    def execute(_arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        found = [_told(page) for page in extracted.list_extracted(asker.person)]
        told: dict[str, Any] = {"entries": found, "count": len(found)}
        return {"success": True, "data": told if found else told | {"isEmpty": True, "guidance": NONE_YET}}

    if not asker.is_recognized:
        return None
    return Tool(
        name="list_my_extracted_knowledge",
        description=(
            "Lists the entries of the knowledge base that were drawn from Slack messages of the person who asks."
        ),
        label="Looking up entries drawn from your messages",
        parameters=_NOTHING,
        execute=with_sentences(execute),
        mutates=False,
    )


def update_my_extracted_knowledge_entry(asker: TurnPerson) -> Tool | None:
    """The author's words instead of ours."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        saved = extracted.update_extracted(
            asker.person, arguments["slug"], title=arguments["title"], content=arguments["content"]
        )
        status = "updated" if saved.changed else "unchanged"
        return {
            "success": True,
            "data": {"status": status, "slug": saved.page.slug, "title": saved.page.title},
        }

    if not asker.is_recognized:
        return None
    return Tool(
        name="update_my_extracted_knowledge_entry",
        description=(
            "Replaces title and content of an entry that was drawn from a message of the person who asks. Use it only "
            "when they have seen what it will say."
        ),
        label="Updating your entry",
        parameters=_UPDATE,
        execute=with_sentences(execute),
        mutates=True,
    )


def delete_my_extracted_knowledge_entry(asker: TurnPerson) -> Tool | None:
    """Gone for good, as its author asked."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        extracted.delete_extracted(asker.person, arguments["slug"])
        return {"success": True, "data": {"status": "deleted", "slug": arguments["slug"]}}

    if not asker.is_recognized:
        return None
    return Tool(
        name="delete_my_extracted_knowledge_entry",
        description=(
            "Deletes for good an entry of the knowledge base that was drawn from a message of the person who asks. The "
            "Slack message stays."
        ),
        label="Deleting your entry",
        parameters=_DELETE,
        execute=with_sentences(execute),
        mutates=True,
    )


def _told(page: KnowledgePage) -> dict[str, Any]:
    shown = {
        "slug": page.slug,
        "title": page.title,
        "content": page.content_text[:EXCERPT_CHARS],
        "drawn_from": page.source_url,
        "date": page.knowledge_date.isoformat() if page.knowledge_date else None,
    }
    return {name: value for name, value in shown.items() if value}
