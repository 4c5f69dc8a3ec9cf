"""Reciprocal rank fusion and the cap per source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.knowledge.retrieval.fusion import Hit, RankedLane, cap_per_source, fuse


def _lane(name: str, keys: str, *, weight: float = 1.0) -> RankedLane[str, str]:
    return RankedLane(name, [Hit(key, f"{key} from {name}") for key in keys], weight)


def test_ranks_add_up_across_lanes() -> None:
    fused = fuse([_lane("vector", "abc"), _lane("keyword", "cb")])
    assert [hit.key for hit in fused] == ["c", "b", "a"]
    assert fused[0].score == pytest.approx(1 / 63 + 1 / 61)
    assert fused[0].ranks == {"vector": 3, "keyword": 1}


def test_the_earliest_lane_gives_the_payload() -> None:
    assert fuse([_lane("vector", "xa"), _lane("keyword", "a")])[0].payload == "a from vector"


def test_weights_scale_a_lane() -> None:
    fused = fuse([_lane("text", "a"), _lane("recency", "b", weight=0.4)])
    assert [hit.score for hit in fused] == pytest.approx([1 / 61, 0.4 / 61])


def test_equal_scores_keep_the_order_of_the_lanes() -> None:
    assert [hit.key for hit in fuse([_lane("one", "ab"), _lane("two", "cd")])] == ["a", "c", "b", "d"]


def test_a_lane_counts_a_key_once_at_its_best_rank() -> None:
    assert fuse([_lane("vector", "aba")])[0].score == pytest.approx(1 / 61)


def test_nothing_in_nothing_out() -> None:
    assert fuse([]) == []
    assert fuse([_lane("vector", "")]) == []


@given(st.lists(st.lists(st.integers(0, 30), unique=True), max_size=5))
def test_every_key_comes_out_once_in_falling_order(lanes: list[list[int]]) -> None:
    fused = fuse(
        [RankedLane(str(number), [Hit(key, key) for key in keys]) for number, keys in enumerate(lanes)]
    )
    assert sorted(hit.key for hit in fused) == sorted({key for keys in lanes for key in keys})
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)


def test_the_cap_keeps_the_first_of_each_source() -> None:
    items = ["a1", "a2", "b1", "a3", "a4", "b2"]
    assert cap_per_source(items, source=lambda item: item[0], limit=3) == ["a1", "a2", "b1", "a3", "b2"]
