"""Which words of a question let passages in."""

import pytest

from apps.knowledge.retrieval.word_weights import (
    COMMON_AT_LEAST,
    MOST_PASSAGES,
    AskedWord,
    Corpus,
    match_set,
    weight,
)

LARGE = Corpus(passages=60_000, average_length=200.0)


def _kept(*passages: int, corpus: Corpus = LARGE) -> list[int]:
    return [word.passages for word in match_set([AskedWord(f"w{n}", 1, n) for n in passages], corpus=corpus)]


def test_a_word_in_more_than_a_tenth_of_a_large_corpus_lets_nothing_in() -> None:
    assert _kept(10, 6_001, 300, 20) == [10, 20, 300]
    assert _kept(10, 6_000, 300, 20) == [10, 20, 300, 6_000]


def test_the_two_rarest_always_do() -> None:
    assert _kept(50_000, 59_000, 40_000) == [40_000, 50_000]
    assert _kept(59_000) == [59_000]


def test_together_they_stay_within_the_bound() -> None:
    kept = _kept(5_000, 5_001, 5_002, 1_000)
    assert kept == [1_000, 5_000, 5_001] and sum(kept) <= MOST_PASSAGES


def test_unseen_words_cost_nothing_and_are_kept() -> None:
    assert _kept(0, 59_000, 50_000, 55_000) == [0, 50_000, 55_000]


def test_a_small_corpus_uses_every_word() -> None:
    small = Corpus(passages=COMMON_AT_LEAST, average_length=100.0)
    assert _kept(1, 2, 499, 500, corpus=small) == [1, 2, 499, 500]


def test_rare_words_and_repeated_ones_weigh_more() -> None:
    rare, common = AskedWord("a", 1, 3), AskedWord("b", 1, 30_000)
    assert weight(rare, corpus=LARGE) > weight(common, corpus=LARGE) > 0
    assert weight(AskedWord("a", 2, 3), corpus=LARGE) == pytest.approx(2 * weight(rare, corpus=LARGE))
    assert weight(AskedWord("gone", 1, 70_000), corpus=LARGE) > 0
