"""Vectors of chunks: bad texts fail alone, changed chunks get none, what is missing comes later (RET-04)."""

from typing import Any

import pytest
from django.db import transaction

from apps.foundation.database import TransactionHeld
from apps.knowledge.indexing import embed_pending
from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import save_page
from apps.knowledge.vectors import storable_vector
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails
from tests.knowledge.corpus import add_page

pytestmark = pytest.mark.django_db


def _chunk(
    text: str, *, index: int = 0, page: KnowledgePage | None = None, title: str = "Page"
) -> KnowledgeChunk:
    chunk = KnowledgeChunk(
        knowledge_page=page or add_page(f"page-{index}"),
        chunk_index=index,
        chunk_text=text,
        metadata={"title": title},
    )
    chunk.save()
    return chunk


def _without() -> set[str]:
    return set(KnowledgeChunk.objects.filter(embedding__isnull=True).values_list("chunk_text", flat=True))


def test_a_bad_text_fails_alone_and_rests(in_tenant: Tenant, llm: Any) -> None:
    for number in range(5):
        _chunk(f"A good chunk number {number}.", index=number)
    _chunk("refuse me", index=5)
    _chunk("   ", index=6, title="")
    _chunk("😀😀", index=7)
    llm.embedding.refuses = lambda text: "refuse" in text
    run = embed_pending()
    assert (run.embedded, run.set_aside, run.left, run.failed) == (6, 2, False, False)
    assert _without() == {"refuse me", "   "}
    llm.reset()
    assert embed_pending().embedded == 0
    assert not llm.embeddings


def test_a_title_of_40000_characters_does_not_keep_its_page_from_being_found(
    in_tenant: Tenant, llm: Any
) -> None:
    save_page(title="title " * 6_700, content_text="The gate is open from seven to ten.")
    assert KnowledgePage.objects.get().title.startswith("title title")
    assert len(llm.embeddings[0].body["input"][0]) < 400
    assert not _without()


@pytest.mark.parametrize("manner", ["drop_last", "without_index", "reverse_order"])
def test_vectors_go_to_their_own_chunks(in_tenant: Tenant, llm: Any, manner: str) -> None:
    for number, word in enumerate(("zeppelin", "harbour", "kitchen")):
        _chunk(word, index=number)
    setattr(llm.embedding, manner, True)
    run = embed_pending()
    if manner == "drop_last":
        assert run.failed and len(_without()) == 3
        return
    llm.embedding.reverse_order = llm.embedding.without_index = False
    vectors = {chunk.chunk_text: chunk.embedding for chunk in KnowledgeChunk.objects.all()}
    KnowledgeChunk.objects.update(embedding=None, embedder=None)
    assert embed_pending().embedded == 3
    assert {chunk.chunk_text: chunk.embedding for chunk in KnowledgeChunk.objects.all()} == vectors


def test_when_the_embedder_is_down_the_page_is_stored_all_the_same(in_tenant: Tenant, llm: Any) -> None:
    llm.embedding.replies.append(fails(503))
    saved = save_page(title="Gate", content_text="The gate is open from seven to ten.")
    assert saved.created and len(_without()) == 1
    assert KnowledgeChunk.objects.get().embed_failures == 0
    assert embed_pending().embedded == 1


def test_embedding_inside_a_transaction_is_refused(in_tenant: Tenant, llm: Any) -> None:
    _chunk("The words of this chunk.")
    with pytest.raises(TransactionHeld), transaction.atomic():
        embed_pending()


def test_more_than_a_batch_is_done_in_several(in_tenant: Tenant, llm: Any) -> None:
    page = add_page("long")
    KnowledgeChunk.objects.bulk_create(
        [
            KnowledgeChunk(knowledge_page=page, chunk_index=number, chunk_text=f"chunk {number}", metadata={})
            for number in range(230)
        ]
    )
    run = embed_pending(limit=210)
    assert (run.embedded, run.left) == (210, True)
    assert [len(request.body["input"]) for request in llm.embeddings] == [100, 100, 10]


def test_numbers_beyond_half_precision_keep_their_direction() -> None:
    assert storable_vector([3e6, 4e6]) == pytest.approx([0.6, 0.8])
    assert storable_vector([3e-9, -4e-9]) == pytest.approx([0.6, -0.8])
    assert storable_vector([0.25, -0.5]) == [0.25, -0.5]
