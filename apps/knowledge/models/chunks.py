"""Chunks: the pieces of pages that are embedded and searched (contract §2.5).

The vectors are stored in the row (STORAGE PLAIN, set by the migration), so that an exact scan does not fetch
them from elsewhere; a row thus takes a page of the disk, and what changes often has no place in it.
"""

# ruff: noqa: DJ001 - in these columns NULL means "not yet".

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import BitField, HalfVectorField, HnswIndex

from apps.knowledge.models.pages import KnowledgePage
from apps.tenancy.scoping import TenantModel

DIMENSIONS = 3072


class SignBits(models.Func):
    """One bit a dimension: whether the number is positive."""

    template = f"(binary_quantize(%(expressions)s)::bit({DIMENSIONS}))"
    output_field = BitField(length=DIMENSIONS)


class TitleAndText(models.Func):
    """The words of the page's title and of the chunk, as Postgres indexes text."""

    template = (
        "to_tsvector('english'::regconfig, COALESCE((%(expressions)s ->> 'title'), '') || ' ' || chunk_text)"
    )
    output_field = SearchVectorField()


class WordCount(models.Func):
    """How many words that is: the sum over their positions; the function is made by the migration."""

    template = (
        "root_word_count(to_tsvector('english'::regconfig,"
        " COALESCE((%(expressions)s ->> 'title'), '') || ' ' || chunk_text))"
    )
    output_field = models.IntegerField()


class KnowledgeChunk(TenantModel):
    """One piece of a page; without a vector until one has been made for exactly this text."""

    knowledge_page = models.ForeignKey(
        KnowledgePage, on_delete=models.CASCADE, related_name="chunks", db_constraint=False, db_index=False
    )
    chunk_index = models.PositiveIntegerField()
    chunk_text = models.TextField()
    metadata = models.JSONField(default=dict)
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedding_bq = models.GeneratedField(
        expression=SignBits("embedding"), output_field=BitField(length=DIMENSIONS), db_persist=True
    )
    embedder = models.CharField(max_length=200, null=True)
    embed_failures = models.PositiveSmallIntegerField(default=0)
    embed_retry_at = models.DateTimeField(null=True)
    search_tsv = models.GeneratedField(
        expression=TitleAndText("metadata"), output_field=SearchVectorField(), db_persist=True
    )
    doc_len = models.GeneratedField(
        expression=WordCount("metadata"), output_field=models.IntegerField(), db_persist=True
    )

    class Meta(TenantModel.Meta):
        db_table = "knowledge_chunks"
        constraints = [
            models.UniqueConstraint(name="knowledge_chunks_index", fields=["knowledge_page", "chunk_index"]),
            models.CheckConstraint(
                name="knowledge_chunks_embedder_known",
                condition=Q(embedding__isnull=True, embedder__isnull=True)
                | Q(embedding__isnull=False, embedder__isnull=False),
            ),
        ]
        indexes = [
            # The workhorse: the nearest rows of a tenant are found in it without touching the table.
            models.Index(
                name="knowledge_chunks_covering",
                fields=["tenant", "embedder"],
                include=["id", "knowledge_page", "embedding_bq"],
            ),
            models.Index(
                name="knowledge_chunks_pending",
                fields=["tenant", "embed_retry_at"],
                condition=Q(embedding__isnull=True),
            ),
            GinIndex(name="knowledge_chunks_words", fields=["search_tsv"]),
            HnswIndex(
                name="knowledge_chunks_hnsw",
                fields=["embedding"],
                m=24,
                ef_construction=160,
                opclasses=["halfvec_cosine_ops"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.knowledge_page_id}:{self.chunk_index}"
