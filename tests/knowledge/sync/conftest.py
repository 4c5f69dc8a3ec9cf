"""A site to fetch from, a broker that answers, and runs brought to their end in this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sources import create_source
from apps.knowledge.sync.requests import QUEUE, push_documents, request_sync
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.source_site import SourceSite

Documents = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _handlers() -> None:
    registry.autodiscover()


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as running:
        yield running


@pytest.fixture
def make(in_tenant: Tenant) -> Callable[..., KnowledgeSource]:
    """`make("web_page", url=…)`: a source with the fields a test does not care about filled in."""

    def made(kind: str = "api_push", key: str = "handbook", **fields: Any) -> KnowledgeSource:
        return create_source(source_key=key, name=fields.pop("name", "Handbook"), source_kind=kind, **fields)

    return made


def sync(source: KnowledgeSource, **options: Any) -> KnowledgeSyncRun:
    """One run by hand, with no second attempt."""
    run = request_sync(source.pk, options=options or None, one_attempt=True)
    run_due(QUEUE)
    run.refresh_from_db()
    return run


def push(documents: Documents, key: str = "handbook", **options: Any) -> KnowledgeSyncRun:
    """One push, worked on."""
    run = push_documents(key, documents, options=options or None)
    run_due(QUEUE)
    run.refresh_from_db()
    return run


def make_due() -> None:
    """Ends every rest of the syncs."""
    QueueJob.objects.filter(queue=QUEUE).update(run_after="2020-01-01T00:00:00Z")


def job_of(run: KnowledgeSyncRun) -> QueueJob:
    """The row that carries a run."""
    assert run.queue_job_id is not None
    return QueueJob.objects.get(pk=run.queue_job_id)


def counters(run: KnowledgeSyncRun) -> tuple[int, int, int, int]:
    """Created, updated, unchanged, deleted."""
    return run.pages_created, run.pages_updated, run.pages_unchanged, run.pages_deleted


def the_page() -> KnowledgePage:
    """The only page there is."""
    page: KnowledgePage = KnowledgePage.objects.get()
    return page


def document(number: int | str, text: str = "", **fields: Any) -> dict[str, Any]:
    """A document that is like no other."""
    said = (
        text or f"Rule {number}: the number {number} gate is opened at seven by the warden of pier {number}."
    )
    return {"external_id": number, "title": f"Rule {number}", "content_text": said, **fields}
