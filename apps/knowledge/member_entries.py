"""Entries that members write themselves: pages with an author, who alone may replace them (contract §5.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

from apps.foundation.errors import BadInput, Forbidden
from apps.foundation.html import render_markdown
from apps.foundation.text import is_blank, one_line
from apps.integrations.person import ResolvedPerson
from apps.knowledge.drafts import draft
from apps.knowledge.models import KnowledgePage
from apps.knowledge.pages import save_page
from apps.tenancy import principals
from apps.tenancy.tiers import is_reserved

SOURCE_TYPE: Final = "member_entry"
MAX_TITLE_CHARS: Final = 300
MAX_CONTENT_CHARS: Final = 50_000
MAX_CATEGORY_CHARS: Final = 80


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a member wants kept; ``update_slug`` names the entry of theirs that it replaces."""

    title: str
    content: str = field(repr=False)
    category: str = ""
    update_slug: str = ""


@dataclass(frozen=True, kw_only=True)
class SavedEntry:
    """The page, and what became of it."""

    status: Literal["saved", "updated", "already_saved"]
    page: KnowledgePage


def save_entry(author: ResolvedPerson, entry: Entry) -> SavedEntry:
    """Stores it under its author's name; the same words again are the same entry.

    Raises :class:`BadInput`, :class:`Forbidden` for people nobody vouches for, and :class:`NotFound` when the page
    to replace is not theirs. Not for use inside a transaction.
    """
    if author.principal is None or is_reserved(author.tier):
        raise Forbidden("Entries are kept only for people this community recognizes.")
    html = _html(entry)
    mine = refs_of(author)
    if entry.update_slug.strip():
        saved = save_page(
            title=entry.title,
            content_html=html,
            slug=entry.update_slug,
            only_of=mine,
            author_name=author.display_name,
        )
        return SavedEntry(status="updated" if saved.changed else "already_saved", page=saved.page)
    known = _known(entry.title, html, mine)
    if known is not None:
        return SavedEntry(status="already_saved", page=known)
    made = save_page(
        title=entry.title,
        content_html=html,
        source_type=SOURCE_TYPE,
        author_name=author.display_name,
        author_member_id=author.ref,
    )
    return SavedEntry(status="saved", page=made.page)


def refs_of(person: ResolvedPerson) -> list[str]:
    """The references a person's pages may stand under: a backend may have come to know them after we did."""
    earlier = [
        principals.SLACK_REF_PREFIX + person.slack_user_id if person.slack_user_id else "",
        principals.EMAIL_REF_PREFIX + person.email if person.email else "",
    ]
    return [person.ref, *(ref for ref in earlier if ref)]


def _html(entry: Entry) -> str:
    if is_blank(entry.title) or is_blank(entry.content):
        raise BadInput("An entry needs a title and something it says.")
    for text, limit in ((entry.title, MAX_TITLE_CHARS), (entry.content, MAX_CONTENT_CHARS)):
        if len(text) > limit:
            raise BadInput(f"That is too long for an entry: at most {limit:,} characters.")
    kind = one_line(entry.category, limit=MAX_CATEGORY_CHARS)
    return render_markdown(entry.content) + (f"<p>Category: {escape(kind)}</p>" if kind else "")


def _known(title: str, html: str, mine: list[str]) -> KnowledgePage | None:
    wanted = draft(title=title, content_html=html, content_text=None, details={})
    found: KnowledgePage | None = KnowledgePage.objects.filter(
        content_hash=wanted.content_hash, author_member_id__in=mine, source_type=SOURCE_TYPE
    ).first()
    return found
