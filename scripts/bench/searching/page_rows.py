"""Pages and their passages to be searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from apps.knowledge import frequencies
from apps.knowledge.models import KnowledgePage
from scripts.bench.searching.filling import EMBEDDER, Words, copy_rows
from scripts.bench.searching.vectors import Source, Vectors

SPELLED: Final = [f"wq{rank}z" for rank in range(30_000)]
CHUNKS_A_PAGE: Final = 6
_WORDS_A_CHUNK: Final = 190
_COLUMNS: Final = """knowledge_chunks (id, tenant_id, knowledge_page_id, chunk_index, chunk_text, metadata, embedding,
    embedder, embed_failures, created_at)"""
_TYPES: Final = (
    "uuid", "uuid", "uuid", "int4", "text", "jsonb", "halfvec", "varchar", "int2", "timestamptz",
)  # fmt: skip


class PageRows:
    """The writer of pages."""

    graphs = ("knowledge_chunks_hnsw",)
    tables = ("knowledge_chunks", "knowledge_pages", "keyword_df")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._pages: list[KnowledgePage] = []

    def begin(self, rows: int, *, visible_share: float) -> None:
        every = round(1 / visible_share)
        self._pages = [
            KnowledgePage(
                slug=f"page-{number}",
                title=f"Page {number}",
                content_html="<p>text</p>",
                audience_tiers=None if number % every == 0 else ["mentor"],
            )
            for number in range(-(-rows // CHUNKS_A_PAGE))
        ]
        KnowledgePage.objects.bulk_create(self._pages, batch_size=1_000)

    def write(self, source: Source, *, start: int, count: int) -> Vectors:
        vectors = source.draw(count)
        copy_rows(_COLUMNS, self._rows(vectors, start=start), types=_TYPES)
        return vectors

    def end(self) -> None:
        frequencies.refresh()

    def _rows(self, vectors: Vectors, *, start: int) -> Iterator[tuple[Any, ...]]:
        for number, vector in enumerate(vectors, start=start):
            page = self._pages[number // CHUNKS_A_PAGE]
            metadata = Jsonb({"title": page.title, "slug": page.slug})
            where = (uuid4(), page.tenant_id, page.pk, number % CHUNKS_A_PAGE)
            text = self._words.text(_WORDS_A_CHUNK)
            yield (*where, text, metadata, HalfVector(vector), EMBEDDER, 0, page.created_at)
