"""Fills communities with passages, quickly: binary COPY, and the graph index left out, which no plan here reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
from django.db import connection
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from apps.knowledge import frequencies
from apps.knowledge.models import KnowledgePage
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import create_tenant
from scripts.bench.searching.vectors import Source, Vectors

EMBEDDER = "bench/vectors"
CHUNKS_A_PAGE = 6
QUESTIONS = 12
_WORDS = 30_000
_WORDS_A_CHUNK = 190
_SLICE = 2_000
_COPY = """COPY knowledge_chunks (id, tenant_id, knowledge_page_id, chunk_index, chunk_text, metadata, embedding,
    embedder, embed_failures, created_at) FROM STDIN WITH (FORMAT BINARY)"""
_TYPES = ["uuid", "uuid", "uuid", "int4", "text", "jsonb", "halfvec", "varchar", "int2", "timestamptz"]


@dataclass(frozen=True)
class Filled:
    """A community, and questions that resemble passages of it."""

    tenant: Tenant
    rows: int
    questions: list[tuple[str, list[float]]]


class Filler:
    """Writes communities of any size, of one kind of vectors and of words that follow Zipf's law."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chance = np.random.default_rng(11)
        weights = 1 / np.arange(1, _WORDS + 1)
        self._cumulated = np.cumsum(weights / weights.sum())
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX IF EXISTS knowledge_chunks_hnsw")

    def fill(self, slug: str, rows: int, *, visible_share: float = 1.0) -> Filled:
        """A community of so many passages; of its pages that share is open, the others are for mentors."""
        tenant = create_tenant(slug, display_name=slug, agent_name="Bench", timezone="UTC")
        with tenant_context(tenant):
            pages = self._pages(rows, visible_share=visible_share)
            questions: list[tuple[str, list[float]]] = []
            for start in range(0, rows, _SLICE):
                count = min(_SLICE, rows - start)
                vectors = self._source.draw(count)
                self._copy(pages, vectors, start=start)
                if len(questions) < QUESTIONS:
                    questions += self._questions(vectors, wanted=QUESTIONS - len(questions))
            frequencies.refresh()
        return Filled(tenant, rows, questions)

    def settle(self) -> None:
        """As autovacuum leaves a table in time."""
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE) knowledge_chunks")
            cursor.execute("VACUUM (ANALYZE) knowledge_pages")
            cursor.execute("VACUUM (ANALYZE) keyword_df")

    def _pages(self, rows: int, *, visible_share: float) -> list[KnowledgePage]:
        count = -(-rows // CHUNKS_A_PAGE)
        every = round(1 / visible_share)
        pages = [
            KnowledgePage(
                slug=f"page-{number}",
                title=f"Page {number}",
                content_html="<p>text</p>",
                audience_tiers=None if number % every == 0 else ["mentor"],
            )
            for number in range(count)
        ]
        KnowledgePage.objects.bulk_create(pages, batch_size=1_000)
        return pages

    def _copy(self, pages: list[KnowledgePage], vectors: Vectors, *, start: int) -> None:
        connection.ensure_connection()
        raw: Any = connection.connection
        register_vector(raw)
        with raw.cursor() as cursor, cursor.copy(_COPY) as copy:
            copy.set_types(_TYPES)
            for number, vector in enumerate(vectors, start=start):
                page = pages[number // CHUNKS_A_PAGE]
                metadata = Jsonb({"title": page.title, "slug": page.slug})
                text = self._text(_WORDS_A_CHUNK)
                where = (uuid4(), page.tenant_id, page.pk, number % CHUNKS_A_PAGE)
                copy.write_row((*where, text, metadata, HalfVector(vector), EMBEDDER, 0, page.created_at))

    def _questions(self, vectors: Vectors, *, wanted: int) -> list[tuple[str, list[float]]]:
        some = vectors[:: max(len(vectors) // wanted, 1)][:wanted]
        return [(self._text(8), vector.tolist()) for vector in self._source.near(some)]

    def _text(self, words: int) -> str:
        ranks = np.searchsorted(self._cumulated, self._chance.random(words))
        return " ".join(f"wq{rank}z" for rank in ranks)
