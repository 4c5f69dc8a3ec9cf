"""POST /kb/sync: documents for a source that is pushed to (contract §11.1, §12.2)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request

from apps.api.operation import TenantView, operation
from apps.api.reading import Body
from apps.api.v1.kb.source_shapes import RunShown, run_shown
from apps.api.v1.kb.words import TAG, FreeJson, Instructions, SourceKey
from apps.foundation.errors import Conflict
from apps.knowledge.sync.normalize import MAX_DOCUMENTS
from apps.knowledge.sync.requests import WrongKind, push_documents


class PushedSource(Body):
    """The source that the documents belong to."""

    key: SourceKey


class DocumentSent(BaseModel):
    """One document. Fields of other names are left out; one without content fails alone, and the run tells so."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, FreeJson]

    external_id: Annotated[
        str | int | None,
        Field(description="Its id where it comes from: the same id again changes the same page."),
    ] = None
    title: Annotated[str | None, Field(examples=["Berths"])] = None
    slug: str | None = None
    content_html: Annotated[str | None, Field(description="Comes before content_text.")] = None
    content_text: Annotated[str | None, Field(examples=["Berth 7 is free until May."])] = None
    source_url: str | None = None
    author_name: str | None = None
    knowledge_date: Annotated[str | None, Field(examples=["2026-03-31"])] = None


class PushOptions(Body):
    """What this run does otherwise than its source says."""

    ai_cleanup: bool = False
    ai_cleanup_instructions: Instructions | None = None
    replace_missing: Annotated[
        bool, Field(description="Delete the source's pages that are not among these documents.")
    ] = False
    accept_shorter: Annotated[bool, Field(description="Store pages that became far shorter, too.")] = False


class DocumentsPushed(Body):
    """Documents of one source."""

    source: PushedSource
    documents: Annotated[list[DocumentSent], Field(max_length=MAX_DOCUMENTS)]
    options: PushOptions | None = None

    def sent(self) -> list[dict[str, Any]]:
        """The documents as they came."""
        return [each.model_dump(exclude_unset=True) for each in self.documents]


class Push(TenantView):
    """Documents coming in."""

    body_limit: ClassVar[int] = 10 * 1024 * 1024

    @operation(
        "Push documents",
        name="kb_sync",
        tag=TAG,
        answers={202: RunShown},
        body=DocumentsPushed,
        refuses={404, 409},
    )
    def post(self, request: Request, body: DocumentsPushed) -> RunShown:
        """Queues a run that stores them; ask for the runs of the source to see what came of it.

        Of one source one run is at work at a time: another that begins meanwhile fails and stores nothing.
        """
        options = body.options.model_dump(exclude_unset=True) if body.options else None
        try:
            run = push_documents(body.source.key, body.sent(), options=options)
        except WrongKind as error:
            raise Conflict(error.message) from None
        return run_shown(run)
