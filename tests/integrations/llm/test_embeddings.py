"""Vectors come back in the order of the texts, a hundred at a time."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.tenancy.context import NoTenant
from apps.tenancy.models import LlmTokenUsage, Tenant
from tests.fakes import word_vectors
from tests.fakes.llm import EMBEDDER, Reply, ScriptedLlm, fails, hidden_error, html, no_choices, raw


def _near(left: list[float] | None, right: list[float]) -> bool:
    return left is not None and left == pytest.approx(right, abs=1e-6)


def test_the_request(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    batch = embeddings.embed(["guest rules"])
    assert batch.embedder == EMBEDDER
    assert batch.failures == {}
    assert _near(batch.vectors[0], word_vectors.embed("guest rules"))
    [request] = llm.embeddings
    assert request.body["model"] == "openai/text-embedding-3-large"
    assert request.body["dimensions"] == 3072
    assert request.body["input"] == ["guest rules"]
    assert request.purpose == "embedding"


def test_a_hundred_texts_a_request_and_a_row_for_each(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    batch = embeddings.embed([f"text {number}" for number in range(205)], purpose="indexing")
    assert [len(request.body["input"]) for request in llm.embeddings] == [100, 100, 5]
    assert all(vector is not None for vector in batch.vectors)
    assert _near(batch.vectors[204], word_vectors.embed("text 204"))
    assert LlmTokenUsage.objects.filter(purpose="indexing", model=EMBEDDER).count() == 3


def test_results_out_of_order_find_their_text(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.reverse_order = True
    texts = ["one", "two", "three"]
    batch = embeddings.embed(texts)
    assert all(
        _near(vector, word_vectors.embed(text)) for vector, text in zip(batch.vectors, texts, strict=True)
    )


def test_a_server_that_numbers_nothing_keeps_the_order(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.without_index = True
    assert _near(embeddings.embed(["one", "two"]).vectors[1], word_vectors.embed("two"))


def test_plain_numbers_are_read_as_well_as_base64(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    numbers = word_vectors.embed("plain")
    data = [{"index": 0, "embedding": numbers}]
    llm.embedding.replies.append(Reply(payload={"data": data, "model": "own/model"}))
    batch = embeddings.embed(["plain"])
    assert (batch.vectors, batch.embedder) == ([numbers], "own/model")


@pytest.mark.parametrize(
    ("named", "embedder"),
    [
        ("text-embedding-3-large", "openai/text-embedding-3-large"),
        ("azure/text-embedding-3-large", "openai/text-embedding-3-large"),
        (None, "openai/text-embedding-3-large"),
        (" other/embedder ", "other/embedder"),
    ],
)
def test_the_embedder_has_one_name_however_it_is_routed(
    llm: ScriptedLlm, in_tenant: Tenant, named: Any, embedder: str
) -> None:
    llm.embedding.model = named
    assert embeddings.embed(["x"]).embedder == embedder


def _one(embedding: Any, **item: Any) -> Reply:
    return Reply(payload={"data": [{"index": 0, "embedding": embedding} | item], "model": "m"})


@pytest.mark.parametrize(
    "reply",
    [
        html(),
        no_choices(),
        raw(b'{"data": null}'),
        raw(b'{"data": [null]}'),
        raw(b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}'),
        _one([0.0] * 3072),
        _one([True] * 3072),
        _one(["1"] * 3072),
        _one([1.0] * 3071 + [float("nan")]),
        _one("not base64!"),
        _one("AAAA"),
        _one(None),
        _one([1.0] * 3072, index=1),
        _one([1.0] * 3072, index="0"),
        _one([1.0] * 3072, index=True),
    ],
)
def test_an_answer_that_is_no_vector_is_an_error(llm: ScriptedLlm, in_tenant: Tenant, reply: Reply) -> None:
    llm.embedding.replies.append(reply)
    with pytest.raises(LlmFailure) as caught:
        embeddings.embed(["x"])
    assert (caught.value.code, caught.value.retryable) == ("bad_response", True)


def test_a_short_answer_is_an_error_and_no_shifted_assignment(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    """RET-04, the variant with one result fewer."""
    llm.embedding.drop_last = True
    with pytest.raises(LlmFailure, match="number of vectors"):
        embeddings.embed(["one", "two", "three"])


@pytest.mark.parametrize(
    ("reply", "code"),
    [(fails(401), "unauthorized"), (fails(503), "provider_error"), (hidden_error(), "provider_error")],
)
def test_failures_of_the_service_are_raised(
    llm: ScriptedLlm, in_tenant: Tenant, reply: Reply, code: str
) -> None:
    llm.embedding.replies.append(reply)
    with pytest.raises(LlmFailure) as caught:
        embeddings.embed(["x"])
    assert caught.value.code == code
    assert len(llm.embeddings) == 1


def test_a_failure_later_on_keeps_what_is_there(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    def refuse_from_now_on(text: str) -> bool:
        if text == "text 99":
            llm.embedding.replies.append(fails(503))
        return False

    llm.embedding.refuses = refuse_from_now_on
    batch = embeddings.embed([f"text {number}" for number in range(150)])
    assert all(vector is not None for vector in batch.vectors[:100])
    assert batch.failures == dict.fromkeys(range(100, 150), embeddings.UNAVAILABLE)


def test_nothing_to_embed_costs_no_call(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    assert embeddings.embed([]) == embeddings.EmbeddingBatch(embedder="", vectors=[], failures={})
    assert llm.requests == []


def test_without_a_tenant_nothing_is_sent(llm: ScriptedLlm) -> None:
    with pytest.raises(NoTenant):
        embeddings.embed(["x"])
    assert llm.requests == []


def test_the_text_form_of_a_vector() -> None:
    assert embeddings.vector_to_sql([1, -0.5, 1e-9]) == "[1.0,-0.5,1e-09]"
