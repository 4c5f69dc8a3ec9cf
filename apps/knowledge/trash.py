"""Deleted pages rest here for a week, without vectors, and can be brought back (contract §11, the trash)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from apps.foundation.clock import now
from apps.foundation.errors import NotFound
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeTrash
from apps.tenancy.scoping import unscoped

KEEP: Final = timedelta(days=7)
_BATCH: Final = 1_000
# Everything a page is; its row id is not brought back, since nothing may still point to it.
_FIELDS: Final = (
    "slug",
    "title",
    "source_url",
    "content_html",
    "content_text",
    "author_name",
    "author_member_id",
    "knowledge_date",
    "source_type",
    "source_message_text",
    "public_id",
    "is_public",
    "audience_tiers",
    "refresh_frequency",
    "extracted_knowledge_id",
    "knowledge_source_id",
    "external_id",
    "content_hash",
    "raw_content_hash",
    "last_synced_at",
    "fetched_at",
)
_TIMES: Final = ("last_synced_at", "fetched_at")
_IDS: Final = ("knowledge_source_id", "extracted_knowledge_id")


def keep(page: KnowledgePage, *, deleted_by: str, reason: str) -> KnowledgeTrash:
    """Puts a copy of a page into the trash, in the transaction that deletes it."""
    kept: KnowledgeTrash = KnowledgeTrash.objects.create(
        slug=page.slug,
        title=page.title,
        knowledge_source_id=page.knowledge_source_id,
        external_id=page.external_id,
        page={name: _written(getattr(page, name)) for name in _FIELDS},
        deleted_by=deleted_by[:300],
        reason=reason[:300],
    )
    return kept


def forget(page: KnowledgePage) -> None:
    """Removes older copies of a page that is deleted for good."""
    KnowledgeTrash.objects.filter(page__public_id=page.public_id).delete()


def take(trash_id: UUID | str) -> KnowledgeTrash:
    """The entry, locked in the caller's transaction; raises :class:`NotFound`."""
    try:
        wanted = trash_id if isinstance(trash_id, UUID) else UUID(trash_id)
    except (ValueError, TypeError, AttributeError):
        raise NotFound("There is nothing like that in the trash.") from None
    recent = KnowledgeTrash.objects.select_for_update().filter(created_at__gt=now() - KEEP)
    found: KnowledgeTrash | None = recent.filter(pk=wanted).first()
    if found is None:
        raise NotFound("There is nothing like that in the trash.")
    return found


def fields_of(kept: KnowledgeTrash) -> dict[str, Any]:
    """The fields of a page as it was; without its source, if that is gone."""
    fields = {name: kept.page.get(name) for name in _FIELDS}
    for name in _TIMES:
        fields[name] = datetime.fromisoformat(fields[name]) if fields[name] else None
    for name in _IDS:
        fields[name] = UUID(fields[name]) if fields[name] else None
    fields["knowledge_date"] = (
        date.fromisoformat(fields["knowledge_date"]) if fields["knowledge_date"] else None
    )
    if not KnowledgeSource.objects.filter(pk=fields["knowledge_source_id"]).exists():
        fields |= {"knowledge_source_id": None, "external_id": None}
    return fields


def sweep() -> int:
    """Deletes what has rested a week, of all communities and a batch at once; returns the number of rows."""
    old = unscoped(KnowledgeTrash).filter(created_at__lt=now() - KEEP).values_list("pk", flat=True)[:_BATCH]
    ids = list(old)
    if not ids:
        return 0
    return int(unscoped(KnowledgeTrash).filter(pk__in=ids)._raw_delete("default"))


def _written(value: Any) -> Any:
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
