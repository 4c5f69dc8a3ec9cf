"""The figures of an evaluation, against values worked out by hand."""

import math

import pytest

from apps.knowledge.retrieval.evaluation import Judged, hit_at, ndcg, quality, reciprocal_rank

RELEVANT = {"a": 1.0, "b": 3.0, "c": 0.0}


def test_hits_and_ranks() -> None:
    assert [hit_at(RELEVANT, ["c", "x", "b"], depth=depth) for depth in (1, 2, 3)] == [0, 0, 1]
    assert reciprocal_rank(RELEVANT, ["c", "x", "b", "a"]) == pytest.approx(1 / 3)
    assert reciprocal_rank(RELEVANT, ["c", "x"]) == 0


def test_ndcg_discounts_by_rank_and_compares_with_the_best_order() -> None:
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    assert ndcg(RELEVANT, ["b", "a"], depth=10) == 1
    assert ndcg(RELEVANT, ["a", "b"], depth=10) == pytest.approx((1 + 3 / math.log2(3)) / ideal)
    assert ndcg(RELEVANT, ["x", "b", "a"], depth=2) == pytest.approx(3 / math.log2(3) / ideal)
    assert ndcg({"c": 0.0}, ["c"], depth=10) == 0


def test_means_leave_out_what_nothing_answers_and_count_a_document_once() -> None:
    figures = quality(
        [
            (Judged("one", {"a": 1}), ["a", "a", "b"]),
            (Judged("two", {"b": 1}), ["x", "x", "b"]),
            (Judged("nothing", {"a": 0}), ["a"]),
        ]
    )
    assert figures.as_json() == {
        "hit@1": 0.5,
        "hit@3": 1.0,
        "hit@5": 1.0,
        "hit@10": 1.0,
        "mrr": 0.75,
        "ndcg@10": round((1 + 1 / math.log2(3)) / 2, 4),
        "questions": 2,
    }


def test_nothing_to_measure() -> None:
    assert quality([]).questions == 0
