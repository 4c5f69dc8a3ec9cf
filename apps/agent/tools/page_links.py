"""``get_knowledge_page_link``: an address that opens a page of the knowledge base (contract §5.1, §10.5)."""

from __future__ import annotations

from typing import Any, Final

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.foundation.errors import RootError
from apps.knowledge.links import PageLink, link_to
from apps.knowledge.models import KnowledgePage
from apps.knowledge.page_addresses import MAX_NAME_CHARS, is_open, is_reachable, page_named

NAME: Final = "get_knowledge_page_link"
NO_SUCH_PAGE: Final = (
    "There is no page under that name that this person may open. Search the knowledge base for the page and use the "
    "slug it gives, or say that no link can be given."
)
NOT_FOR_STRANGERS: Final = (
    "This page is private, and links to it are given only to people the community recognizes. Say so."
)
ONLY_IN_PRIVATE: Final = (
    "This page is private, and a link to it is for one person alone. Others read along here: ask the person to write "
    "to you in a direct message, and give the link there."
)
HAND_OVER: Final = "Give the person this very address, unchanged."
FOR_ONE: Final = (
    "It works for this person alone and in one browser, the first that opens it. Give it unchanged, and say that "
    "passing it on does not work."
)

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "slug_or_url": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_NAME_CHARS,
            "description": "The page's slug as a search result gives it, or the /kb/ address somebody mentioned.",
        }
    },
    "required": ["slug_or_url"],
    "additionalProperties": False,
}


def get_knowledge_page_link(asker: TurnPerson) -> Tool | None:
    """The tool. People nobody vouches for, should it be opened to them, get addresses of public pages only."""
    if not is_reachable():
        return None

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        page = page_named(arguments["slug_or_url"])
        if page is None or not asker.audience.admits(page):
            return failed(NO_SUCH_PAGE, code="not_found")
        if not is_open(page) and not asker.is_recognized:
            return failed(NOT_FOR_STRANGERS, code="forbidden")
        if not is_open(page) and _others_read_along(asker):
            return failed(ONLY_IN_PRIVATE, code="not_private")
        try:
            link = link_to(page, principal=asker.person.principal)
        except RootError as error:
            return failed(error.message, code=error.code)
        return {"success": True, "data": _told(page, link)}

    return Tool(
        name=NAME,
        description=(
            "Gives the web address of one page of the knowledge base: the plain address of a public page, a personal "
            "link to any other. Use it when somebody wants a page itself, or names a /kb/ address."
        ),
        label="Getting a link to the page",
        parameters=_PARAMETERS,
        execute=execute,
        # A link nobody opens is nothing: asked for again there is another one, and no record may keep the first.
        mutates=False,
    )


def _others_read_along(asker: TurnPerson) -> bool:
    return asker.channel == "slack" and not asker.in_private_dm


def _told(page: KnowledgePage, link: PageLink) -> dict[str, Any]:
    told: dict[str, Any] = {"title": page.title, "slug": page.slug, "url": link.url}
    if link.expires_at is None:
        return told | {"access": "public", "guidance": HAND_OVER}
    return told | {"access": "personal", "expires_at": link.expires_at.isoformat(), "guidance": FOR_ONE}
