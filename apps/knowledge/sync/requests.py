"""Asking for a sync: a queued run and its job, both or neither (contract §11.2, §12.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from apps.foundation.errors import BadInput, Conflict, Forbidden, NotFound
from apps.foundation.text import clean
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.source_fields import checked
from apps.knowledge.sources import find_source, source_with_key
from apps.knowledge.sync.normalize import MAX_DOCUMENTS
from apps.tenancy import jobs
from apps.tenancy.context import current_tenant

QUEUE: Final = "knowledge-source-sync"
MAX_PAYLOAD_CHARS: Final = 30_000_000
_OPTIONS: Final = ("ai_cleanup", "ai_cleanup_instructions", "replace_missing")
_SWITCHES: Final = ("accept_shorter",)
_MAX_DEPTH: Final = 40


class WrongKind(BadInput):
    """A source of this kind is not fed like this."""


Trigger = KnowledgeSyncRun.Trigger
Kind = KnowledgeSource.Kind


def request_sync(
    source_id: UUID | str,
    *,
    trigger: str = Trigger.MANUAL,
    options: Mapping[str, Any] | None = None,
    one_attempt: bool = False,
) -> KnowledgeSyncRun:
    """Queues a run that fetches; one that waits already is given instead of a second one.

    Raises :class:`NotFound`, :class:`BadInput`, :class:`Conflict` for a paused source, and
    :class:`~apps.foundation.broker.BrokerDown`.
    """
    if trigger not in Trigger.values:
        raise BadInput(f"A sync is triggered by {', '.join(Trigger.values)}; nothing else.")
    source = find_source(source_id)
    if source.source_kind == Kind.API_PUSH:
        raise WrongKind("This source is pushed to: send its documents instead.")
    payload: dict[str, Any] = {"options": checked_options(options)} if options else {}
    return _queued(source, trigger=trigger, payload=payload, one_attempt=one_attempt)


def push_documents(
    source_key: str,
    documents: object,
    *,
    options: Mapping[str, Any] | None = None,
    one_attempt: bool = False,
) -> KnowledgeSyncRun:
    """Queues a run that stores the given documents, 250 at most; raises the same as :func:`request_sync`."""
    source = source_with_key(source_key)
    if source.source_kind not in (Kind.API_PUSH, Kind.WEBHOOK):
        raise WrongKind(
            "This source is fetched by Root; documents are pushed to sources of kind api_push or webhook."
        )
    payload: dict[str, Any] = {"documents": checked_documents(documents)}
    if options:
        payload["options"] = checked_options(options)
    return _queued(source, trigger=Trigger.API, payload=payload, one_attempt=one_attempt)


def checked_documents(documents: object) -> list[Any]:
    """A list the database can hold; raises :class:`BadInput`."""
    if not isinstance(documents, list):
        raise BadInput("documents must be a list.")
    if len(documents) > MAX_DOCUMENTS:
        raise BadInput(
            f"{len(documents):,} documents are too many for one push: send {MAX_DOCUMENTS} at most at a time."
        )
    stored = [_storable(document, 0) for document in documents]
    try:
        size = len(json.dumps(stored, allow_nan=False, ensure_ascii=False))
    except (TypeError, ValueError):
        raise BadInput("documents must be plain JSON.") from None
    if size > MAX_PAYLOAD_CHARS:
        raise BadInput(f"The documents of one push may have {MAX_PAYLOAD_CHARS:,} characters together.")
    return stored


def checked_options(options: object) -> dict[str, Any]:
    """What a run may do otherwise than its source says; raises :class:`BadInput`."""
    if not isinstance(options, Mapping):
        raise BadInput("options must be an object.")
    made: dict[str, Any] = {}
    for name, value in options.items():
        if name in _OPTIONS:
            made[name] = checked(name, value)
        elif name in _SWITCHES and isinstance(value, bool):
            made[name] = value
        else:
            known = ", ".join((*_OPTIONS, *_SWITCHES))
            raise BadInput(f"options knows {known}; {clean(str(name))[:60]} cannot be used like this.")
    return made


def _queued(
    source: KnowledgeSource, *, trigger: str, payload: dict[str, Any], one_attempt: bool
) -> KnowledgeSyncRun:
    if not current_tenant().is_active:
        raise Forbidden("This community is not active, so nothing is synced.")
    with transaction.atomic():
        # Two requests at the same moment meet here; the second one sees the first one's run.
        held = KnowledgeSource.objects.select_for_update(no_key=True).filter(pk=source.pk).first()
        if held is None:
            raise NotFound("There is no such source.")
        if held.status == KnowledgeSource.Status.PAUSED:
            raise Conflict("This source is paused. Resume it first.")
        waiting = KnowledgeSyncRun.objects.filter(
            source=held, status=KnowledgeSyncRun.Status.QUEUED, input_payload=payload
        )
        if trigger != Trigger.SCHEDULE:
            # A run of the schedule is refused while the source is in error; one that somebody asked for is not.
            waiting = waiting.exclude(trigger_type=Trigger.SCHEDULE)
        known: KnowledgeSyncRun | None = None if "documents" in payload else waiting.first()
        if known is not None:
            return known
        run = KnowledgeSyncRun(source=held, trigger_type=trigger, input_payload=payload)
        asked = {"run_id": str(run.pk), **({"one_attempt": True} if one_attempt else {})}
        run.queue_job_id = jobs.enqueue(QUEUE, key=str(run.pk), payload=asked)
        run.save()
    return run


def _storable(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise BadInput("documents are nested too deeply.")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(name)): _storable(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item, depth + 1) for item in value]
    return value
