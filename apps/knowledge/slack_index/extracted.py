"""Entries that were drawn from what a member wrote: theirs to change and to delete (contract §5.1)."""

from __future__ import annotations

from typing import Final

from apps.foundation.errors import BadInput, NotFound
from apps.foundation.html import render_markdown
from apps.foundation.text import is_blank
from apps.integrations.person import ResolvedPerson
from apps.knowledge.member_entries import MAX_CONTENT_CHARS, MAX_TITLE_CHARS, refs_of
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import SavedPage, delete_page, save_page

SOURCE_TYPE: Final = "slack_extraction"
LIST_LIMIT: Final = 50
NOT_THERE: Final = "There is no such entry drawn from this person's messages."


def list_extracted(author: ResolvedPerson) -> list[KnowledgePage]:
    """The latest entries drawn from their messages."""
    rows = KnowledgePage.objects.filter(source_type=SOURCE_TYPE, author_member_id__in=refs_of(author))
    return list(rows.order_by("-updated_at", "slug")[:LIST_LIMIT])


def update_extracted(author: ResolvedPerson, slug: str, *, title: str, content: str) -> SavedPage:
    """Puts the author's words in place; raises :class:`BadInput`, :class:`NotFound`. Not in a transaction."""
    mine = _mine(author, slug)
    if is_blank(title) or is_blank(content):
        raise BadInput("An entry needs a title and something it says.")
    for text, limit in ((title, MAX_TITLE_CHARS), (content, MAX_CONTENT_CHARS)):
        if len(text) > limit:
            raise BadInput(f"That is too long for an entry: at most {limit:,} characters.")
    return save_page(
        title=title, slug=mine.slug, content_html=render_markdown(content), only_of=refs_of(author)
    )


def delete_extracted(author: ResolvedPerson, slug: str) -> None:
    """Deletes it for good, since its author asked; raises :class:`NotFound`."""
    mine = _mine(author, slug)
    delete_page(mine.slug, deleted_by=author.ref, reason="asked for by its author", final=True)


def _mine(author: ResolvedPerson, slug: str) -> KnowledgePage:
    found = None
    if slug.isprintable() and slug:
        rows = KnowledgePage.objects.filter(source_type=SOURCE_TYPE, author_member_id__in=refs_of(author))
        found = rows.filter(slug=slug).first()
    if found is None:
        raise NotFound(NOT_THERE)
    page: KnowledgePage = found
    return page
