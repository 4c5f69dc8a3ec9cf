"""/kb/pages: what the community knows, page by page (contract §12.2).

POST creates, or changes the page of a slug that is taken: there is no other way to change one. Whoever holds a key
manages pages, so all are shown; what a person may read is asked with /kb/search.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request

from apps.api.calendar import Day
from apps.api.operation import Answered, TenantView, operation
from apps.api.paging import Page, Paged, page_of
from apps.api.reading import Body, Line
from apps.api.v1.kb.words import (
    SLUG_PATTERN,
    TAG,
    Content,
    HtmlContent,
    PersonRef,
    Slug,
    SourceType,
    Tiers,
    Title,
    WebAddress,
)
from apps.foundation.errors import NotFound
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import delete_page, find_page, list_pages, save_page

_OWN = ("title", "slug", "content_html", "content_text")
_PATH = {"slug": {"type": "string", "pattern": SLUG_PATTERN, "maxLength": 100}}


class PageQuery(Paged):
    """Which pages."""

    source_type: Annotated[SourceType | None, Field(description="Only pages of this kind.")] = None
    author_member_id: Annotated[PersonRef | None, Field(description="Only pages of this member.")] = None


def _some_content(schema: dict[str, Any]) -> None:
    schema["anyOf"] = [
        {"required": [name], "properties": {name: {"type": "string"}}}
        for name in ("content_html", "content_text")
    ]


class PageSent(Body):
    """A page. Of a page that exists, what is not named stays as it is; null empties it."""

    model_config = ConfigDict(json_schema_extra=_some_content)

    title: Annotated[Title, Field(examples=["Opening hours"])]
    slug: Annotated[Slug | None, Field(description="Its name; made from the title when there is none.")] = (
        None
    )
    content_html: Annotated[HtmlContent | None, Field(description="Comes before content_text.")] = None
    content_text: Annotated[
        Content | None, Field(examples=["The house is open from nine to six, on Sundays from ten."])
    ] = None
    source_url: WebAddress | None = None
    author_name: Line | None = None
    author_member_id: PersonRef | None = None
    knowledge_date: Day | None = None
    source_type: SourceType = "manual"
    is_public: Annotated[bool, Field(description="May anybody open it by its address?")] = False
    audience_tiers: Tiers | None = None

    def details(self) -> dict[str, Any]:
        """What was named, beside title and content."""
        return self.model_dump(include=self.model_fields_set - {*_OWN})


class PageListed(BaseModel):
    """A page without its content."""

    id: UUID
    slug: str
    title: str
    source_url: str | None
    author_name: str | None
    author_member_id: str | None
    knowledge_date: date | None
    source_type: str
    public_id: str
    is_public: bool
    audience_tiers: list[str] | None
    knowledge_source_id: Annotated[UUID | None, Field(description="The source that delivered it.")]
    external_id: str | None
    last_synced_at: datetime | None
    created_at: datetime
    updated_at: datetime


class PageShown(PageListed):
    """A page with its content as it is stored: sanitised, and as plain text."""

    content_html: str
    content_text: str


class Pages(TenantView):
    """All pages."""

    body_limit: ClassVar[int] = 10 * 1024 * 1024

    @operation("List pages", name="kb_pages_list", tag=TAG, answers={200: Page[PageListed]}, query=PageQuery)
    def get(self, request: Request, query: PageQuery) -> Page[PageListed]:
        """Every page of the community, the newest first, without contents."""
        rows = list_pages(source_type=query.source_type, author_member_id=query.author_member_id)
        return page_of(rows, query, by="created_at", show=_listed)

    @operation(
        "Create or change a page",
        name="kb_pages_save",
        tag=TAG,
        answers={201: PageShown, 200: PageShown},
        body=PageSent,
        refuses={409},
    )
    def post(self, request: Request, body: PageSent) -> Answered:
        """A slug that is taken changes its page (200), any other creates one (201). It can be searched right away."""
        saved = save_page(
            title=body.title,
            slug=body.slug,
            content_html=body.content_html,
            content_text=body.content_text,
            **body.details(),
        )
        return Answered(status=201 if saved.created else 200, body=_shown(saved.page))


class OnePage(TenantView):
    """One page."""

    @operation(
        "Read a page", name="kb_pages_read", tag=TAG, answers={200: PageShown}, refuses={404}, path=_PATH
    )
    def get(self, request: Request, slug: str) -> PageShown:
        """The page with this slug and its content."""
        page = find_page(slug)
        if page is None:
            raise NotFound("There is no such page.")
        return _shown(page)

    @operation(
        "Delete a page", name="kb_pages_delete", tag=TAG, answers={204: None}, refuses={404}, path=_PATH
    )
    def delete(self, request: Request, slug: str) -> None:
        """The page leaves every search at once. It can be brought back for a week."""
        delete_page(slug, deleted_by=f"key {self.holder.key.name}", reason="deleted by a program")


def _listed(page: KnowledgePage) -> PageListed:
    return PageListed(**{name: getattr(page, name) for name in PageListed.model_fields})


def _shown(page: KnowledgePage) -> PageShown:
    return PageShown(**{name: getattr(page, name) for name in PageShown.model_fields})
