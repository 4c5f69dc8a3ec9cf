"""RET-04: one bad text fails alone, and a service that refuses everything marks nobody as bad."""

from __future__ import annotations

import random

import pytest

from apps.integrations.llm import embeddings
from apps.integrations.llm.embedding_texts import sized
from apps.integrations.llm.failures import LlmFailure
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm


def test_the_reported_batch(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    normal = [f"chunk {number} about guests" for number in range(5)]
    texts = [*normal, "title " * 7_000 + "chunk", "m" * 39_000, "😊🎉", "    ", "", "\x00\x00"]
    batch = embeddings.embed(texts)
    assert batch.failures == dict.fromkeys((8, 9, 10), embeddings.BLANK)
    assert all(batch.vectors[place] is not None for place in range(8))
    assert len(llm.embeddings) == 1, "nothing was refused, so nothing was asked twice"


@pytest.mark.parametrize("bad", [{0}, {99}, {3, 4}, {0, 31, 57, 99}])
def test_refused_texts_are_singled_out(llm: ScriptedLlm, in_tenant: Tenant, bad: set[int]) -> None:
    llm.embedding.refuses = lambda text: "poison" in text
    texts = [f"poison {number}" if number in bad else f"text {number}" for number in range(100)]
    batch = embeddings.embed(texts)
    assert batch.failures == dict.fromkeys(bad, embeddings.REFUSED)
    assert {place for place, vector in enumerate(batch.vectors) if vector is None} == bad


def test_the_search_for_bad_texts_is_bounded(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.refuses = lambda text: "poison" in text
    places = random.Random(1).sample(range(100), 40)
    texts = [f"poison {number}" if number in places else f"text {number}" for number in range(100)]
    batch = embeddings.embed(texts)
    assert len(llm.embeddings) <= 1 + 1 + 64
    settled = {place for place, vector in enumerate(batch.vectors) if vector is not None}
    assert settled | set(batch.failures) == set(range(100))
    assert not settled & set(batch.failures)
    refused = {place for place, reason in batch.failures.items() if reason == embeddings.REFUSED}
    assert refused <= set(places)
    assert settled, "the good ones reached in time have their vectors"


def test_a_bad_text_in_one_batch_leaves_the_next_alone(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.refuses = lambda text: "poison" in text
    batch = embeddings.embed(["poison", *(f"text {number}" for number in range(149))])
    assert batch.failures == {0: embeddings.REFUSED}


def test_a_single_refused_text_is_a_failure_of_the_text(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.refuses = lambda text: text == "poison"
    batch = embeddings.embed(["poison"])
    assert (batch.vectors, batch.failures) == ([None], {0: embeddings.REFUSED})


def test_a_provider_that_refuses_everything_is_the_one_at_fault(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.refuses = lambda text: True
    with pytest.raises(LlmFailure) as caught:
        embeddings.embed([f"text {number}" for number in range(100)])
    assert caught.value.status == 400
    assert len(llm.embeddings) == 2, "the batch, and one probe"


def test_a_text_whose_tokens_were_underestimated_is_cut_harder(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.embedding.refuses = lambda text: len(text.encode()) > 8_192
    batch = embeddings.embed(["fine", "}{" * 10_000])
    assert batch.failures == {}
    assert llm.embeddings[-1].body["input"] == ["}{" * 4_000]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("short", 5),
        ("a" * 24_000, 24_000),
        ("a" * 40_000, 24_000),
        ("字" * 9_000, 8_000),
        ("字" * 1_000 + "a" * 40_000, 1_000 + 21_000),
        ("😊" * 8_000, 8_000),
    ],
)
def test_long_texts_are_cut_by_a_cautious_estimate(text: str, length: int) -> None:
    assert len(sized(text)) == pytest.approx(length, abs=2)
    assert text.startswith(sized(text))


def test_lone_surrogates_are_replaced(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    batch = embeddings.embed(["bad \ud83d text"])
    assert batch.failures == {}
    assert llm.embeddings[0].body["input"] == ["bad \ufffd text"]
