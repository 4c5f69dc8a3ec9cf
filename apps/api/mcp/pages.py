"""Pages of the knowledge base as resources, each by its slug (contract §12.3)."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from mcp_types import (
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from apps.agent.tools.execution import members_surface
from apps.foundation.errors import NotFound
from apps.knowledge.audience import Audience
from apps.knowledge.page_listing import AT_ONCE, pages_after
from apps.knowledge.pages import read_page

PREFIX: Final = "kb://pages/"
TYPE: Final = "text/plain"
TEMPLATE: Final = ResourceTemplate(
    name="page",
    title="A page of the knowledge base",
    uri_template=f"{PREFIX}{{slug}}",
    mime_type=TYPE,
    description="One page's text, by the slug that search results give.",
)
_NO_PAGE = "There is no page at this address that members may see."


def uri_of(slug: str) -> str:
    """A page's address."""
    return PREFIX + quote(slug, safe="")


def list_pages(cursor: str | None) -> ListResourcesResult:
    """The pages every member may see, so many at once; the cursor is the last slug seen."""
    after = unquote(cursor or "").replace("\x00", "")
    pages = pages_after(after, audience=_audience())
    return ListResourcesResult(
        resources=[
            Resource(uri=uri_of(page.slug), name=page.slug, title=page.title, mime_type=TYPE)
            for page in pages
        ],
        next_cursor=quote(pages[-1].slug, safe="") if len(pages) == AT_ONCE else None,
    )


def read(uri: str) -> ReadResourceResult:
    """One page's text; raises :class:`NotFound`."""
    slug = unquote(uri.removeprefix(PREFIX)) if uri.startswith(PREFIX) else ""
    if not slug or "\x00" in slug:
        raise NotFound(_NO_PAGE)
    page = read_page(slug, audience=_audience())
    text = f"{page.title}\n\n{page.content_text}"
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=TYPE, text=text)])


def _audience() -> Audience:
    """A protocol without a person in it: what members see as such."""
    return members_surface().asker.audience
