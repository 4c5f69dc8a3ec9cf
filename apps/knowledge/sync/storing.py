"""Documents of a run into pages: unchanged ones recognised, others cleaned and stored (contract §11.2)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError

from apps.foundation.clock import now
from apps.foundation.errors import BadInput
from apps.knowledge import embedding, pages
from apps.knowledge.drafts import Draft, draft
from apps.knowledge.embedding_kinds import CHUNKS
from apps.knowledge.models import KnowledgeChunk, KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync import runs
from apps.knowledge.sync.cleanup import Content, Treatment, treated
from apps.knowledge.sync.documents import Document, Problem
from apps.knowledge.sync.tally import Tally
from apps.tenancy import jobs

log = logging.getLogger(__name__)

SOURCE_TYPES: Final = {"web_page": "url", "api_pull": "api", "webhook": "webhook", "api_push": "api_push"}
EMBEDDED_AT_ONCE: Final = 50
_MOST_CHUNKS_NOW: Final = 2_000
_DELETED_AT_ONCE: Final = 50
_RACES: Final = 5


def unchanged_of(
    source: KnowledgeSource, documents: Iterable[Document], treatment: Treatment
) -> dict[str, UUID]:
    """External id and page of every document that came exactly as the last time: no model is asked about it."""
    marks = {
        document.external_id: (document.raw_hash(treatment.mark), _left_aside_mark(document, treatment))
        for document in documents
    }
    known = KnowledgePage.objects.filter(knowledge_source_id=source.pk, external_id__in=list(marks))
    return {
        external_id: page_id
        for page_id, external_id, raw_hash in known.values_list("pk", "external_id", "raw_content_hash")
        if raw_hash in marks[external_id]
    }


def _left_aside_mark(document: Document, treatment: Treatment) -> str:
    """An answer of the model that could not be used is asked for again the next day, not with each run."""
    return document.raw_hash(f"{treatment.mark}:left aside on {now().date()}")


def touch(page_ids: Collection[UUID]) -> None:
    """Notes that unchanged pages were seen again."""
    if page_ids:
        KnowledgePage.objects.filter(pk__in=page_ids).update(last_synced_at=now())


def store(
    document: Document, *, job: jobs.Job, run: KnowledgeSyncRun, treatment: Treatment, tally: Tally
) -> UUID | None:
    """One document into its page. Gives the page's id when it has something to embed.

    The page, its chunks and the note of it are one transaction of the job's claim: after a crash the document is
    either stored and counted, or neither. Raises :class:`LlmFailure` when the model is away.
    """
    try:
        content = treated(document, treatment)
        wanted = _draft(document, content)
    except BadInput as error:
        tally.problems.append(Problem(external_id=document.external_id, reason=error.message))
        return None
    for _ in range(_RACES):
        try:
            return _stored(document, wanted, content, job=job, run=run, treatment=treatment, tally=tally)
        except IntegrityError as error:
            tally.outcomes.pop(document.external_id, None)
            if not any(
                name in str(error) for name in ("knowledge_pages_slug", "knowledge_pages_external_id")
            ):
                raise
    tally.problems.append(
        Problem(external_id=document.external_id, reason="its page is being changed by others")
    )
    return None


def embed(page_ids: Collection[UUID]) -> None:
    """Makes the vectors of these pages now; what fails, or is very much, is left to the audit."""
    if page_ids:
        chunks = KnowledgeChunk.objects.filter(knowledge_page_id__in=list(page_ids))
        embedding.embed_waiting(CHUNKS, rows=chunks, limit=_MOST_CHUNKS_NOW)


def delete_absent(
    present: Collection[str], *, job: jobs.Job, run: KnowledgeSyncRun, source: KnowledgeSource, tally: Tally
) -> None:
    """Deletes the source's pages that were not delivered any more; they rest in the trash."""
    owned = KnowledgePage.objects.filter(knowledge_source_id=source.pk, external_id__isnull=False)
    listed = owned.values_list("pk", "external_id")
    gone = [page_id for page_id, external_id in listed if external_id not in set(present)]
    for start in range(0, len(gone), _DELETED_AT_ONCE):
        with job.fenced():
            runs.held_source(run)
            batch = KnowledgePage.objects.filter(pk__in=gone[start : start + _DELETED_AT_ONCE])
            reason = f"no longer delivered by {source.source_key}"
            count = sum(pages.remove(page, deleted_by="sync", reason=reason) for page in batch)
            job.save_checkpoint({**tally.checkpoint(), "deleted": tally.deleted + count})
        tally.deleted += count


def _draft(document: Document, content: Content) -> Draft:
    details: Any = {
        "source_url": document.source_url,
        "author_name": document.author_name,
        "knowledge_date": document.knowledge_date,
    }
    return draft(title=content.title, content_html=content.html, content_text=None, details=details)


def _stored(
    document: Document,
    wanted: Draft,
    content: Content,
    *,
    job: jobs.Job,
    run: KnowledgeSyncRun,
    treatment: Treatment,
    tally: Tally,
) -> UUID | None:
    is_final = treatment.kind is None or content.by_model
    with job.fenced():
        source = runs.held_source(run)
        origin = pages.Origin(
            source=source,
            external_id=document.external_id,
            source_type=SOURCE_TYPES[source.source_kind],
            slug=document.slug,
            raw_hash=document.raw_hash(treatment.mark) if is_final else _left_aside_mark(document, treatment),
        )
        saved = pages.store_from_source(wanted, origin=origin)
        noted = tally.outcomes.get(document.external_id)
        outcome = noted or ("created" if saved.created else "updated" if saved.changed else "unchanged")
        tally.outcomes[document.external_id] = outcome
        counted = tally.by_model + content.by_model
        if saved.created or saved.changed:
            job.save_checkpoint({**tally.checkpoint(), "by_model": counted})
    tally.by_model = counted
    return saved.page.pk if saved.changed else None
