"""/kb/sources: where pages come from, and each sync of them (contract §12.2)."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field
from rest_framework.request import Request

from apps.api.operation import TenantView, operation
from apps.api.paging import Page, Paged, page_of
from apps.api.v1.kb.source_shapes import (
    RunShown,
    SourceChanged,
    SourceSent,
    SourceShown,
    run_shown,
    source_shown,
)
from apps.api.v1.kb.words import TAG
from apps.foundation.errors import Conflict
from apps.knowledge import sources
from apps.knowledge.sync.requests import WrongKind, request_sync


class SourceDeleted(BaseModel):
    """What went with a source."""

    pages_deleted: Annotated[int, Field(description="Its pages; they can be brought back for a week.")]


class Sources(TenantView):
    """All sources."""

    @operation("List sources", name="kb_sources_list", tag=TAG, answers={200: Page[SourceShown]}, query=Paged)
    def get(self, request: Request, query: Paged) -> Page[SourceShown]:
        """The community's sources, the newest first."""
        return page_of(sources.list_sources(), query, by="created_at", show=source_shown)

    @operation(
        "Create a source",
        name="kb_sources_create",
        tag=TAG,
        answers={201: SourceShown},
        body=SourceSent,
        refuses={409},
    )
    def post(self, request: Request, body: SourceSent) -> SourceShown:
        """A source under a key of its own; the key is what documents are pushed under."""
        return source_shown(sources.create_source(**body.given()))


class OneSource(TenantView):
    """One source."""

    @operation("Read a source", name="kb_sources_read", tag=TAG, answers={200: SourceShown}, refuses={404})
    def get(self, request: Request, source_id: UUID) -> SourceShown:
        """Never with its secrets."""
        return source_shown(sources.find_source(source_id))

    @operation(
        "Change, pause or resume a source",
        name="kb_sources_change",
        tag=TAG,
        answers={200: SourceShown},
        body=SourceChanged,
        refuses={404, 409},
    )
    def patch(self, request: Request, source_id: UUID, body: SourceChanged) -> SourceShown:
        """What does not go together with the rest of the source is refused with 409 and changes nothing."""
        try:
            return source_shown(sources.change_source(source_id, **body.given()))
        except sources.Unfit as error:
            raise Conflict(error.message) from None

    @operation(
        "Delete a source", name="kb_sources_delete", tag=TAG, answers={200: SourceDeleted}, refuses={404}
    )
    def delete(self, request: Request, source_id: UUID) -> SourceDeleted:
        """Its pages and runs go with it."""
        by = f"key {self.holder.key.name}"
        return SourceDeleted(pages_deleted=sources.delete_source(source_id, deleted_by=by))


class Runs(TenantView):
    """The syncs of one source."""

    @operation(
        "List the runs of a source",
        name="kb_sources_runs",
        tag=TAG,
        answers={200: Page[RunShown]},
        query=Paged,
        refuses={404},
    )
    def get(self, request: Request, source_id: UUID, query: Paged) -> Page[RunShown]:
        """The newest first."""
        return page_of(sources.run_rows(source_id), query, by="created_at", show=run_shown)


class Sync(TenantView):
    """One more sync."""

    @operation(
        "Sync a source now", name="kb_sources_sync", tag=TAG, answers={202: RunShown}, refuses={404, 409}
    )
    def post(self, request: Request, source_id: UUID) -> RunShown:
        """Queues a run, or answers the one that waits already. Sources of kind `api_push` and paused ones: 409."""
        try:
            return run_shown(request_sync(source_id, trigger="api"))
        except WrongKind as error:
            raise Conflict(error.message) from None
