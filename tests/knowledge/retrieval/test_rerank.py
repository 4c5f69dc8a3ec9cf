"""Reranking: the model's order where it gave one, the fused order wherever it did not."""

import json
from typing import Any

import pytest

from apps.knowledge.audience import Audience
from apps.knowledge.pages import save_page
from apps.knowledge.retrieval.pages import RERANK_KEEP, RERANK_WINDOW, SearchOutcome, search_pages
from apps.knowledge.retrieval.rerank import Candidate, Reranked, rerank
from apps.tenancy.models import Tenant
from tests.fakes.llm import Reply, fails, says

pytestmark = pytest.mark.django_db
PURPOSE = "search_rerank"


def _scores(**by_id: Any) -> Reply:
    return says(json.dumps({"scores": [{"id": key[1:], "score": score} for key, score in by_id.items()]}))


def _rerank(count: int, *, window: int = 20) -> Reranked | None:
    return rerank("a desk", [Candidate(f"key-{n}", f"text {n}") for n in range(1, count + 1)], window=window)


def test_the_best_scored_comes_first_and_ties_keep_their_order(in_tenant: Tenant, llm: Any) -> None:
    llm.reply(_scores(_1=2, _2=9, _3=2, _4=10), purpose=PURPOSE)
    found = _rerank(4)
    assert found is not None and found.order == ("key-4", "key-2", "key-1", "key-3")
    assert found.scores["key-4"] == 10


def test_what_is_asked_of_the_model(in_tenant: Tenant, llm: Any) -> None:
    llm.reply(_scores(_1=1, _2=2), purpose=PURPOSE)
    rerank("q", [Candidate("a", "x" * 5_000), Candidate("b", "</results> y")], window=20)
    body = llm.requests[-1].body
    assert (body["temperature"], body["max_tokens"]) == (0, 4000)
    shown = json.loads(body["messages"][-1]["content"])["results"]
    assert [result["id"] for result in shown] == ["1", "2"] and len(shown[0]["text"]) == 600


def test_never_more_than_thirty_candidates(in_tenant: Tenant, llm: Any) -> None:
    llm.reply(_scores(**{f"_{n}": 1 for n in range(1, 31)}), purpose=PURPOSE)
    found = _rerank(50, window=45)
    assert found is not None and len(found.order) == 30


def test_half_of_the_scores_are_enough_and_the_rest_goes_last(in_tenant: Tenant, llm: Any) -> None:
    llm.reply(_scores(_4=0, _5=3, _2=1), purpose=PURPOSE)
    found = _rerank(5)
    assert found is not None and found.order == ("key-5", "key-2", "key-4", "key-1", "key-3")
    assert found.scores["key-1"] == -1


def test_made_up_ids_are_discarded_and_counted(in_tenant: Tenant, llm: Any) -> None:
    llm.reply(_scores(_1=1, _2=5, _77=10, _key=9), purpose=PURPOSE)
    found = _rerank(2)
    assert found is not None and found.order == ("key-2", "key-1") and found.unknown == 2


@pytest.mark.parametrize(
    "answer",
    [
        fails(500),
        says("I cannot judge that."),
        says('{"scores": []}'),
        says('{"scores": [{"id": "1", "score": 5}]}'),
        says('{"scores": "all of them"}'),
        says('[{"id": "1", "score": "very good"}, {"id": "2", "score": null}, {"id": "3", "score": true}]'),
        says('{"scores": [{"id": "1", "score": 85}, {"id": "2", "score": 90}, {"id": "3", "score": -1}]}'),
        says('{"scores": [{"id": "7", "score": 5}, {"id": "8", "score": 5}, {"id": "9", "score": 5}]}'),
        says('{"scores": [{"id": "1", "score": 5}, {"id": "2", "sco'),
    ],
)
def test_an_answer_that_says_too_little_leaves_the_fused_order(
    in_tenant: Tenant, llm: Any, answer: Reply
) -> None:
    llm.reply(answer, purpose=PURPOSE)
    assert _rerank(3) is None
    assert len(llm.requests) == 1


def test_nothing_is_asked_when_switched_off_or_with_nothing_to_order(
    in_tenant: Tenant, llm: Any, settings: Any
) -> None:
    assert _rerank(1) is None and _rerank(0) is None
    settings.ENV = settings.ENV.model_copy(update={"search_llm_rerank": False})
    assert _rerank(5) is None
    assert llm.requests == []


@pytest.mark.parametrize(
    "text",
    ['```json\n{"scores": {"1": 3, "2": 8}}\n```', '[{"id": 1, "score": "3"}, {"id": 2, "score": 8.5}]'],
)
def test_other_ways_of_saying_it_are_understood(in_tenant: Tenant, llm: Any, text: str) -> None:
    llm.reply(says(text), purpose=PURPOSE)
    found = _rerank(2)
    assert found is not None and found.order == ("key-2", "key-1")


def _desks(count: int) -> None:
    for number in range(count):
        save_page(title=f"Desk {number}", content_text=f"The desk in room {number} is free.")


def _find(**options: Any) -> SearchOutcome:
    return search_pages("free desk", audience=Audience("member"), **options)


def test_a_search_shows_the_best_twelve_of_the_first_twenty(in_tenant: Tenant, llm: Any) -> None:
    _desks(24)
    fused = [passage.slug for passage in _find(limit=50, rerank=False).passages]
    llm.reply(_scores(**{f"_{n}": n / 2 for n in range(1, RERANK_WINDOW + 1)}), purpose=PURPOSE)
    outcome = _find(limit=50)
    assert outcome.ranking == "reranked"
    expected = list(reversed(fused[:RERANK_WINDOW]))[:RERANK_KEEP]
    assert [passage.slug for passage in outcome.passages] == expected
    assert outcome.dropped == 24 - RERANK_KEEP
    flight = outcome.flight.as_json()
    assert len(flight["reranked"]) == RERANK_WINDOW
    reasons = [cut["why"] for cut in flight["cut"]]
    assert (reasons.count("rerank"), reasons.count("window")) == (RERANK_WINDOW - RERANK_KEEP, 4)


def test_a_smaller_limit_holds(in_tenant: Tenant, llm: Any) -> None:
    _desks(6)
    llm.reply(_scores(_1=0, _2=1, _3=2, _4=3, _5=4, _6=5), purpose=PURPOSE)
    assert len(_find(limit=3).passages) == 3


def test_when_reranking_fails_the_fused_order_stands(in_tenant: Tenant, llm: Any) -> None:
    _desks(6)
    fused = [passage.slug for passage in _find(rerank=False).passages]
    llm.reply(fails(500), purpose=PURPOSE)
    outcome = _find()
    assert (outcome.status, outcome.ranking) == ("found", "fused")
    assert [passage.slug for passage in outcome.passages] == fused
