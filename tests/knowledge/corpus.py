"""Chunks with given vectors, written quickly: for tests of the lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID, uuid4

import numpy as np
import psycopg
from django.db import connection
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper
from psycopg.types.json import Jsonb

from apps.knowledge.models import KnowledgePage

EMBEDDER = "test/vectors"
DIMENSIONS = 3072


def directions(count: int, *, seed: int, around: np.ndarray | None = None, spread: float = 1.0) -> np.ndarray:
    """Unit vectors at random, or scattered around one direction, some nearer and some further away."""
    chance = np.random.default_rng(seed)
    noise = chance.standard_normal((count, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    distance = chance.uniform(spread / 4, spread, (count, 1))
    vectors = noise * distance + (0.0 if around is None else around)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def add_page(
    slug: str, *, audience_tiers: list[str] | None = None, source_type: str = "manual"
) -> KnowledgePage:
    page = KnowledgePage(
        slug=slug,
        title=slug.title(),
        content_html="<p>text</p>",
        audience_tiers=audience_tiers,
        source_type=source_type,
    )
    page.save()
    return page


_INSERT = """
INSERT INTO knowledge_chunks (id, tenant_id, knowledge_page_id, chunk_index, chunk_text, metadata, embedding, embedder,
    embed_failures) VALUES (%s, %s, %s, %s, %s, %s, %b::halfvec, %s, 0)
"""


def add_chunks(
    page: KnowledgePage, vectors: np.ndarray, *, texts: Sequence[str] | None = None, embedder: str = EMBEDDER
) -> list[UUID]:
    """One chunk a vector; the ids in the same order. Binary vectors, since the ORM writes each out as text."""
    ids = [uuid4() for _ in vectors]
    cursor = psycopg.Cursor(connection.connection)
    cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
    title = Jsonb({"title": page.title})
    cursor.executemany(
        _INSERT,
        [
            (
                key,
                page.tenant_id,
                page.pk,
                index,
                texts[index] if texts else f"chunk {index}",
                title,
                vector,
                embedder,
            )
            for index, (key, vector) in enumerate(zip(ids, map(HalfVector, vectors), strict=True))
        ],
    )
    return ids


@contextmanager
def index_built_afterwards() -> Iterator[None]:
    """Builds the HNSW index once at the end: row by row takes many times as long."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'knowledge_chunks_hnsw'")
        (definition,) = cursor.fetchone() or ("",)
        cursor.execute("DROP INDEX knowledge_chunks_hnsw")
        yield
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(definition)
        cursor.execute("ANALYZE knowledge_chunks")
