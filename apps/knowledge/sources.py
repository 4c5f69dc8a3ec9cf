"""Sources of knowledge: the services that make, change, pause and delete them (contract §2.5, §11.1)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from apps.foundation.clock import now
from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.knowledge import pages
from apps.knowledge.locks import lock_sources
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.source_fields import checked
from apps.tenancy.limits import limits

Kind = KnowledgeSource.Kind
Status = KnowledgeSource.Status


class Unfit(BadInput):
    """Fields that are right one by one and do not go together."""


_FIXED: Final = ("source_key", "source_kind")
_AUTH_SECRET: Final = {"bearer": "token", "basic": "password", "api_key": "token"}


def create_source(*, source_key: str, name: str, source_kind: str, **fields: Any) -> KnowledgeSource:
    """Makes an active source. Raises :class:`BadInput`, or :class:`Conflict` for a taken key or a full quota."""
    given = {"source_key": source_key, "name": name, "source_kind": source_kind, **fields}
    source = KnowledgeSource(**_stored({key: checked(key, value) for key, value in given.items()}))
    _refuse_unfit(source)
    source.next_sync_at = now() if source.schedule_interval_minutes else None
    most = limits().max_knowledge_sources
    with transaction.atomic():
        lock_sources()
        if KnowledgeSource.objects.count() >= most:
            raise Conflict(f"This community has {most} sources, which is as many as it may have.")
        try:
            with transaction.atomic():
                source.save()
        except IntegrityError:
            raise Conflict(f"There is already a source with the key {source_key}.") from None
    return source


def update_source(source_id: UUID | str, **changes: Any) -> KnowledgeSource:
    """Changes what is given. What its pages inherit from it (audience, name of the one page) changes with it."""
    fixed = next((name for name in _FIXED if name in changes), None)
    if fixed:
        raise BadInput(f"The {fixed} of a source cannot be changed; make another source.")
    values = {key: checked(key, value) for key, value in changes.items()}
    with transaction.atomic():
        source = _held(source_id)
        before = source.url
        for key, value in _stored(values, known=source.secrets).items():
            setattr(source, key, value)
        _refuse_unfit(source)
        if "schedule_interval_minutes" in values:
            source.next_sync_at = now() if source.schedule_interval_minutes else None
        source.save()
        _pass_on(source, values, before=before)
    return source


def change_source(source_id: UUID | str, *, status: str | None = None, **changes: Any) -> KnowledgeSource:
    """Changes what is given and pauses or resumes the source with it, all or nothing."""
    with transaction.atomic():
        source = update_source(source_id, **changes)
        return source if status is None else _set_status(source_id, status)


def pause_source(source_id: UUID | str) -> KnowledgeSource:
    """Nothing syncs it until it is resumed; its pages stay."""
    return _set_status(source_id, Status.PAUSED)


def resume_source(source_id: UUID | str) -> KnowledgeSource:
    """Active again, with its failures forgotten."""
    return _set_status(source_id, Status.ACTIVE)


def delete_source(source_id: UUID | str, *, deleted_by: str = "") -> int:
    """Deletes a source with its runs and pages, which rest in the trash; gives the number of pages.

    A sync that is under way stores nothing more: it waits for the row that is locked here, and finds it gone.
    """
    with transaction.atomic():
        source = _held(source_id)
        count = 0
        for page in KnowledgePage.objects.filter(knowledge_source_id=source.pk).iterator(chunk_size=100):
            count += pages.remove(page, deleted_by=deleted_by, reason=f"source {source.source_key} deleted")
        source.delete()
    return count


def find_source(source_id: UUID | str) -> KnowledgeSource:
    """The source with this id; raises :class:`NotFound`."""
    found: KnowledgeSource | None = KnowledgeSource.objects.filter(pk=_as_id(source_id)).first()
    if found is None:
        raise NotFound("There is no such source.")
    return found


def source_with_key(source_key: str) -> KnowledgeSource:
    """The source with this key; raises :class:`NotFound`."""
    usable = isinstance(source_key, str) and source_key.isprintable()
    named = KnowledgeSource.objects.filter(source_key=source_key)
    found: KnowledgeSource | None = named.first() if usable else None
    if found is None:
        raise NotFound("There is no source with this key.")
    return found


def list_sources() -> QuerySet[KnowledgeSource]:
    """The current tenant's sources by key."""
    return KnowledgeSource.objects.order_by("source_key")


def runs_of(source_id: UUID | str, *, limit: int = 50) -> list[KnowledgeSyncRun]:
    """The newest runs of a source; raises :class:`NotFound`."""
    return list(run_rows(source_id).order_by("-created_at")[: max(1, min(limit, 200))])


def run_rows(source_id: UUID | str) -> QuerySet[KnowledgeSyncRun]:
    """All runs of a source without what was delivered with them, in no order; raises :class:`NotFound`."""
    runs: QuerySet[KnowledgeSyncRun] = KnowledgeSyncRun.objects.filter(source_id=find_source(source_id).pk)
    return runs.defer("input_payload")


def _set_status(source_id: UUID | str, status: str) -> KnowledgeSource:
    with transaction.atomic():
        source = _held(source_id)
        source.status = status
        if status == Status.ACTIVE:
            source.consecutive_failures, source.last_error = 0, ""
            source.next_sync_at = now() if source.schedule_interval_minutes else None
        source.save()
    return source


def _held(source_id: UUID | str) -> KnowledgeSource:
    """The row, locked so that no sync stores a page of it meanwhile."""
    rows = KnowledgeSource.objects.select_for_update()
    found: KnowledgeSource | None = rows.filter(pk=_as_id(source_id)).first()
    if found is None:
        raise NotFound("There is no such source.")
    return found


def _as_id(source_id: UUID | str) -> UUID:
    try:
        return source_id if isinstance(source_id, UUID) else UUID(source_id)
    except (ValueError, TypeError, AttributeError):
        raise NotFound("There is no such source.") from None


def _stored(values: dict[str, Any], *, known: dict[str, str] | None = None) -> dict[str, Any]:
    """Secrets are added to those there are; None takes one away."""
    if "secrets" not in values:
        return values
    merged = {**(known or {}), **values["secrets"]}
    return {**values, "secrets": {key: secret for key, secret in merged.items() if secret is not None}}


def _refuse_unfit(source: KnowledgeSource) -> None:
    """Raises :class:`Unfit`."""
    kind = source.source_kind
    if kind == Kind.API_PUSH:
        if source.url or source.schedule_interval_minutes:
            raise Unfit(
                "A source of kind api_push has neither url nor schedule: its documents are sent to Root."
            )
    elif not source.url:
        raise Unfit(f"A source of kind {kind} needs a url.")
    if source.http_method == "POST" and kind != Kind.API_PULL:
        raise Unfit("Only sources of kind api_pull choose their http_method.")
    if source.request_body is not None and source.http_method != "POST":
        raise Unfit("request_body needs http_method POST.")
    if kind == Kind.WEBHOOK and not source.secrets.get("webhook_signing_secret"):
        raise Unfit(
            "A source of kind webhook needs secrets.webhook_signing_secret, which signs its requests."
        )
    needed = _AUTH_SECRET.get(source.auth_type)
    if needed and not source.secrets.get(needed):
        raise Unfit(f"auth_type {source.auth_type} needs secrets.{needed}.")
    if source.auth_type == "basic" and not source.auth_config.get("username"):
        raise Unfit("auth_type basic needs auth_config.username.")
    if source.auth_type in ("bearer", "api_key") and not source.secrets["token"].isascii():
        raise Unfit("The secret token must be made of ASCII characters.")


def _pass_on(source: KnowledgeSource, values: dict[str, Any], *, before: str | None) -> None:
    own = KnowledgePage.objects.filter(knowledge_source_id=source.pk)
    if "audience_tiers" in values:
        own.update(audience_tiers=source.audience_tiers)
    moved = source.url != before and source.source_kind in (Kind.WEB_PAGE, Kind.API_PULL)
    if moved and not own.filter(external_id=source.url).exists():
        # The page that was named after the old address is the page of the new one.
        own.filter(external_id=before).update(external_id=source.url, raw_content_hash=None)
