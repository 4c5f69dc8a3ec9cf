"""The hits of a search as rows, with what their pages say about them (contract §10.2).

Plain SQL and plain values: written down by the ORM the statement takes longer than Postgres needs to answer it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from apps.knowledge.audience import Audience
from apps.tenancy.context import current_tenant_id


@dataclass(slots=True)
class FoundChunk:
    """A chunk with what its page says about it, in the order of the statement's columns."""

    id: UUID
    page: UUID
    index: int
    text: str
    section: str | None
    title: str
    slug: str
    public_id: str
    is_public: bool
    source_url: str | None
    source_type: str
    author_name: str | None
    audience_tiers: list[str] | None


_HITS = """
SELECT k.id, p.id, k.chunk_index, k.chunk_text, k.metadata ->> 'section_heading', p.title, p.slug, p.public_id,
    p.is_public, p.source_url, p.source_type, p.author_name, p.audience_tiers
FROM knowledge_chunks k JOIN knowledge_pages p ON p.tenant_id = k.tenant_id AND p.id = k.knowledge_page_id
WHERE k.tenant_id = %(tenant)s AND k.id = ANY(%(ids)s::uuid[])
"""


def load_chunks(ids: Sequence[UUID], *, audience: Audience) -> dict[UUID, FoundChunk]:
    """These chunks with their pages. One that left or was closed to the asker meanwhile is left out."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_HITS, {"tenant": current_tenant_id(), "ids": list(ids)})
        chunks = [FoundChunk(*row) for row in cursor.fetchall()]
    return {chunk.id: chunk for chunk in chunks if audience.admits(chunk)}
