"""Writing pages: the one place that creates, changes and deletes them (contract §2.5, §11.2, §11.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

from django.db import IntegrityError, transaction

from apps.foundation.errors import Conflict, NotFound
from apps.knowledge import indexing
from apps.knowledge.audience import Audience
from apps.knowledge.drafts import Draft, PageDetails, draft
from apps.knowledge.models import KnowledgePage
from apps.knowledge.slugs import derived_slug, explicit_slug, free_slug

_RACES = 10


@dataclass(frozen=True)
class SavedPage:
    """A stored page; ``changed`` tells whether its content was new, so that it was cut and embedded anew."""

    page: KnowledgePage
    created: bool
    changed: bool = True


def save_page(
    *,
    title: str,
    slug: str | None = None,
    content_html: str | None = None,
    content_text: str | None = None,
    **details: Unpack[PageDetails],
) -> SavedPage:
    """Creates a page, or updates the one with this ``slug``; what is not given stays as it is.

    Without a slug a new page is made under a free slug derived from its title. New content is cut into chunks
    and embedded; when the embedder does not answer, the page is stored all the same and the sweep embeds it
    later. Raises :class:`BadInput`. Must not be called inside a transaction, since it makes a model call.
    """
    wanted = draft(title=title, content_html=content_html, content_text=content_text, details=details)
    saved = _store(wanted, slug=explicit_slug(slug) if slug else None)
    if saved.changed:
        indexing.embed_pending(page=saved.page, limit=indexing.INLINE_CHUNKS)
    return saved


def find_page(slug: str) -> KnowledgePage | None:
    """The page with this slug, for those who manage pages; readers use :func:`read_page`."""
    return KnowledgePage.objects.filter(slug=slug).first() if _storable(slug) else None


def read_page(slug: str, *, audience: Audience) -> KnowledgePage:
    """The page with this slug if the asker may see it; raises :class:`NotFound` in either other case."""
    page = find_page(slug)
    if page is None or not audience.admits(page):
        raise NotFound("There is no such page.")
    return page


def delete_page(slug: str) -> None:
    """Deletes a page with its chunks; raises :class:`NotFound`."""
    page = find_page(slug)
    if page is None or not KnowledgePage.objects.filter(pk=page.pk).delete()[0]:
        raise NotFound("There is no such page.")


def _store(wanted: Draft, *, slug: str | None) -> SavedPage:
    """Two deliveries of one page may race for its slug: whoever loses looks again and updates."""
    for _ in range(_RACES):
        try:
            with transaction.atomic(durable=True):
                return _update_or_create(wanted, slug=slug)
        except IntegrityError as error:
            if "knowledge_pages_slug" not in str(error):
                raise
    raise Conflict("This page is being changed by many at once; try again.")


def _update_or_create(wanted: Draft, *, slug: str | None) -> SavedPage:
    page = KnowledgePage.objects.select_for_update().filter(slug=slug).first() if slug else None
    if page is None:
        page = KnowledgePage(slug=slug or free_slug(derived_slug(wanted.title)))
        return _fill(page, wanted, created=True)
    return _fill(page, wanted, created=False)


def _fill(page: KnowledgePage, wanted: Draft, *, created: bool) -> SavedPage:
    changed = created or page.content_hash != wanted.content_hash
    before = None if created else indexing.chunk_metadata(page)
    values: dict[str, Any] = dict(wanted.fields)
    if changed:
        values |= {
            "title": wanted.title,
            "content_html": wanted.html,
            "content_text": wanted.text,
            "content_hash": wanted.content_hash,
        }
    for name, value in values.items():
        setattr(page, name, value)
    page.save()
    if changed:
        indexing.replace_chunks(page)
    elif before != indexing.chunk_metadata(page):
        indexing.refresh_metadata(page)
    return SavedPage(page=page, created=created, changed=changed)


def _storable(slug: str) -> bool:
    return slug.isprintable() and slug != ""
