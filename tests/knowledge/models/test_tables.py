"""The tables as the database has them."""

import pytest
from django.db import IntegrityError, connection, transaction

from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db


def _page(slug: str = "wifi") -> KnowledgePage:
    page = KnowledgePage(slug=slug, title="Wi-Fi", content_html="<p>x</p>")
    page.save()
    return page


def test_vectors_are_stored_in_the_row() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'knowledge_chunks'::regclass"
            " AND attname IN ('embedding', 'embedding_bq')"
        )
        assert dict(cursor.fetchall()) == {"embedding": "p", "embedding_bq": "p"}


def test_bits_and_words_are_generated(in_tenant: Tenant) -> None:
    chunk = KnowledgeChunk(
        knowledge_page=_page(),
        chunk_index=0,
        chunk_text="The network is called harbour.",
        metadata={"title": "Wireless"},
        embedding=[1.0, -1.0] * 1536,
        embedder="fake",
    )
    chunk.save()
    chunk.refresh_from_db()
    assert chunk.embedding_bq == "10" * 1536
    assert "'wireless':1" in chunk.search_tsv
    assert "'network':3" in chunk.search_tsv


def test_a_chunk_cannot_hang_on_another_tenants_page(in_tenant: Tenant, other_tenant: Tenant) -> None:
    page = _page()
    with tenant_context(other_tenant), pytest.raises(IntegrityError), transaction.atomic():
        KnowledgeChunk.objects.bulk_create(
            [KnowledgeChunk(knowledge_page_id=page.pk, chunk_index=0, chunk_text="x")]
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_deleting_a_page_takes_its_chunks(in_tenant: Tenant) -> None:
    page = _page()
    KnowledgeChunk(knowledge_page=page, chunk_index=0, chunk_text="x").save()
    page.delete()
    assert not KnowledgeChunk.objects.exists()


def test_two_tenants_may_have_the_same_slug(in_tenant: Tenant, other_tenant: Tenant) -> None:
    _page()
    with tenant_context(other_tenant):
        _page()
    with pytest.raises(IntegrityError), transaction.atomic():
        _page()


def test_words_of_any_script_are_folded_alike(in_tenant: Tenant) -> None:
    KnowledgeChunk(knowledge_page=_page(), chunk_index=0, chunk_text="Правила ÉCOLE").save()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM knowledge_chunks WHERE search_tsv @@ to_tsquery('english', %s)",
            ["'правила' & 'école'"],
        )
        assert cursor.fetchone() == (1,)
