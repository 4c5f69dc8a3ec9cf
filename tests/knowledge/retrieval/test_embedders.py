"""The floor belongs to the embedder."""

import pytest

from apps.knowledge.retrieval.embedders import profile_of


@pytest.mark.parametrize(
    ("embedder", "floor"),
    [
        ("openai/text-embedding-3-large", 0.32),
        ("offline/all-minilm-l6-v2-int8+orthonormal-1", 0.32),
        ("something/else", 0.32),
    ],
)
def test_floor(embedder: str, floor: float) -> None:
    assert profile_of(embedder).floor == floor


def test_a_longer_lane_needs_more_candidates() -> None:
    profile = profile_of("openai/text-embedding-3-large")
    assert (profile.candidates(30), profile.candidates(100)) == (400, 600)
