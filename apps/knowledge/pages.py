"""Writing pages: the one place that creates, changes and deletes them (contract §2.5, §11.2, §11.3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Unpack
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from apps.foundation.clock import now
from apps.foundation.errors import Conflict, NotFound
from apps.knowledge import indexing, trash
from apps.knowledge.audience import Audience
from apps.knowledge.drafts import Draft, PageDetails, draft
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeTrash
from apps.knowledge.slugs import derived_slug, explicit_slug, free_slug

_RACES = 10


@dataclass(frozen=True)
class SavedPage:
    """A stored page; ``changed`` tells whether its content was new, so that it was cut and embedded anew."""

    page: KnowledgePage
    created: bool
    changed: bool = True


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The source a page comes from, and under which name; ``raw_hash`` is None when it should be read anew."""

    source: KnowledgeSource = field(repr=False)
    external_id: str
    source_type: str
    slug: str | None = None
    raw_hash: str | None = None


def save_page(
    *,
    title: str,
    slug: str | None = None,
    content_html: str | None = None,
    content_text: str | None = None,
    only_of: Collection[str] | None = None,
    **details: Unpack[PageDetails],
) -> SavedPage:
    """Creates a page, or updates the one with this ``slug``; what is not given stays as it is.

    ``only_of`` names the references of one member: then it updates a page of theirs, or raises :class:`NotFound`.

    Without a slug a new page is made under a free slug derived from its title. New content is cut into chunks
    and embedded; when the embedder does not answer, the page is stored all the same and the sweep embeds it
    later. Raises :class:`BadInput`. Must not be called inside a transaction, since it makes a model call.
    """
    wanted = draft(title=title, content_html=content_html, content_text=content_text, details=details)
    saved = _store(wanted, slug=explicit_slug(slug) if slug else None, only_of=only_of)
    if saved.changed:
        indexing.embed_pending(page=saved.page, limit=indexing.INLINE_CHUNKS)
    return saved


def find_page(slug: str) -> KnowledgePage | None:
    """The page with this slug, for those who manage pages; readers use :func:`read_page`."""
    return KnowledgePage.objects.filter(slug=slug).first() if _storable(slug) else None


def list_pages(
    *, source_type: str | None = None, author_member_id: str | None = None
) -> QuerySet[KnowledgePage]:
    """The current tenant's pages without their contents, in no order."""
    wanted = {"source_type": source_type, "author_member_id": author_member_id}
    rows: QuerySet[KnowledgePage] = KnowledgePage.objects.defer(
        "content_html", "content_text", "source_message_text"
    )
    return rows.filter(**{name: value for name, value in wanted.items() if value is not None})


def read_page(slug: str, *, audience: Audience) -> KnowledgePage:
    """The page with this slug if the asker may see it; raises :class:`NotFound` in either other case."""
    page = find_page(slug)
    if page is None or not audience.admits(page):
        raise NotFound("There is no such page.")
    return page


def delete_page(slug: str, *, deleted_by: str = "", reason: str = "", final: bool = False) -> None:
    """Deletes a page with its chunks; raises :class:`NotFound`.

    A copy rests in the trash for a week, unless the deletion is final because the member it is about asked for it.
    """
    with transaction.atomic():
        page = find_page(slug)
        if page is None or not remove(page, deleted_by=deleted_by, reason=reason, final=final):
            raise NotFound("There is no such page.")


def remove(page: KnowledgePage, *, deleted_by: str = "", reason: str = "", final: bool = False) -> bool:
    """The same for a page at hand, in the caller's transaction; False when it is gone already."""
    held = KnowledgePage.objects.select_for_update().filter(pk=page.pk).first()
    if held is None:
        return False
    if final:
        trash.forget(held)
    else:
        trash.keep(held, deleted_by=deleted_by, reason=reason)
    return bool(KnowledgePage.objects.filter(pk=held.pk).delete()[0])


def restore_page(trash_id: UUID | str) -> KnowledgePage:
    """Brings a page back from the trash, under another slug if its own was taken meanwhile.

    Raises :class:`NotFound`, or :class:`Conflict` when its source has delivered it anew. Not for use inside a
    transaction, since it makes a model call.
    """
    for _ in range(_RACES):
        try:
            with transaction.atomic(durable=True):
                page = _restored(trash.take(trash_id))
        except IntegrityError as error:
            if not any(
                name in str(error) for name in ("knowledge_pages_slug", "knowledge_pages_external_id")
            ):
                raise
        else:
            indexing.embed_pending(page=page, limit=indexing.INLINE_CHUNKS)
            return page
    raise Conflict("This page is being changed by many at once; try again.")


def store_from_source(wanted: Draft, *, origin: Origin) -> SavedPage:
    """Creates or updates the page of a source's document, in the caller's transaction; nothing is embedded.

    A new page never takes over another page's slug, and an old one keeps its own.
    """
    named = {"knowledge_source_id": origin.source.pk, "external_id": origin.external_id}
    moment = now()
    own = {
        "source_type": origin.source_type,
        "audience_tiers": origin.source.audience_tiers,
        "raw_content_hash": origin.raw_hash,
        "last_synced_at": moment,
        "fetched_at": moment,
    }
    wanted = replace(wanted, fields={**wanted.fields, **own})
    page = KnowledgePage.objects.select_for_update().filter(**named).first()
    if page is not None:
        return _fill(page, _closed_no_wider(wanted, page), created=False)
    KnowledgeTrash.objects.filter(**named).delete()
    base = derived_slug(origin.slug or wanted.title)
    return _fill(KnowledgePage(slug=free_slug(base), **named), wanted, created=True)


def _closed_no_wider(wanted: Draft, page: KnowledgePage) -> Draft:
    """Whom somebody closed this one page to stays out: new content of its source does not open it again."""
    if page.audience_tiers is None:
        return wanted
    return replace(wanted, fields={**wanted.fields, "audience_tiers": page.audience_tiers})


def _restored(kept: KnowledgeTrash) -> KnowledgePage:
    fields = trash.fields_of(kept)
    named = {name: fields.get(name) for name in ("knowledge_source_id", "external_id")}
    if named["knowledge_source_id"] and KnowledgePage.objects.filter(**named).exists():
        raise Conflict("Its source has delivered this page anew; there is nothing to bring back.")
    if KnowledgePage.objects.filter(public_id=fields["public_id"]).exists():
        del fields["public_id"]
    page = KnowledgePage(**{**fields, "slug": free_slug(str(fields["slug"]))})
    page.save()
    indexing.replace_chunks(page)
    kept.delete()
    return page


def _store(wanted: Draft, *, slug: str | None, only_of: Collection[str] | None) -> SavedPage:
    """Two deliveries of one page may race for its slug: whoever loses looks again and updates."""
    for _ in range(_RACES):
        try:
            with transaction.atomic(durable=True):
                return _update_or_create(wanted, slug=slug, only_of=only_of)
        except IntegrityError as error:
            if "knowledge_pages_slug" not in str(error):
                raise
    raise Conflict("This page is being changed by many at once; try again.")


def _update_or_create(
    wanted: Draft, *, slug: str | None, only_of: Collection[str] | None = None
) -> SavedPage:
    page = KnowledgePage.objects.select_for_update().filter(slug=slug).first() if slug else None
    if only_of is not None and (page is None or page.author_member_id not in only_of):
        raise NotFound("There is no such page of this member.")
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
        # Written by somebody else than its source: the next sync reads the source's truth anew.
        values.setdefault("raw_content_hash", None)
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
