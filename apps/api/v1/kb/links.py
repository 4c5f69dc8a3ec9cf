"""POST /kb/link: an address that opens a page (contract §10.5, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.agent.readers import page_link
from apps.api.operation import TenantView, operation
from apps.api.reading import NO_NUL, Body
from apps.api.v1.kb.words import TAG, PersonRef
from apps.knowledge.page_addresses import MAX_NAME_CHARS

Identifier = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=MAX_NAME_CHARS)]


class LinkAsked(Body):
    """A page, and whom the link is for."""

    identifier: Annotated[
        Identifier,
        Field(description="Its slug, its public id, or an address it has here.", examples=["opening-hours"]),
    ]
    principal_ref: Annotated[
        PersonRef | None,
        Field(description="Needed for pages that are not public: the link opens them for this person alone."),
    ] = None


class LinkShown(BaseModel):
    """The address."""

    url: str
    access: Annotated[
        Literal["public", "personal"],
        Field(description="`personal`: it opens in the first browser that opens it, and in no other."),
    ]
    expires_at: datetime | None
    slug: str
    title: str


class Link(TenantView):
    """Linking."""

    @operation(
        "Link to a page", name="kb_link", tag=TAG, answers={200: LinkShown}, body=LinkAsked, refuses={404}
    )
    def post(self, request: Request, body: LinkAsked) -> LinkShown:
        """The plain address of a public page, or a new personal link. A page the person may not read is 404."""
        page, link = page_link(body.identifier, ref=body.principal_ref)
        return LinkShown(
            url=link.url,
            access="personal" if link.is_personal else "public",
            expires_at=link.expires_at,
            slug=page.slug,
            title=page.title,
        )
