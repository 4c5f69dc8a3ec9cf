"""What each word of a question weighs, and by which of them passages are found; pure (contract §10.2).

All words rank, but only the rarer ones let a passage in: words that stand everywhere find nearly every passage, and
ranking those is what makes a long question slow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# A word may let passages in while it stands in at most this share of them, and in this many in any case:
# in a small corpus there is nothing to save.
COMMON_SHARE = 0.1
COMMON_AT_LEAST = 500
MOST_PASSAGES = 12_000
ALWAYS_KEPT = 2


@dataclass(frozen=True)
class AskedWord:
    """A lexeme of the question: how often it was said, and in how many of the tenant's passages it stands."""

    lexeme: str
    said: int
    passages: int


@dataclass(frozen=True)
class Corpus:
    """How many passages were counted, and how long they are on average."""

    passages: int
    average_length: float


def weight(word: AskedWord, *, corpus: Corpus) -> float:
    """Inverse passage frequency as BM25 has it, times how often the word was said."""
    absent = max(corpus.passages - word.passages, 0)
    return word.said * math.log(1 + (absent + 0.5) / (word.passages + 0.5))


def match_set(words: Sequence[AskedWord], *, corpus: Corpus) -> list[AskedWord]:
    """The words that let passages in, rarest first: unseen ones, the two rarest, and more while it stays cheap."""
    common = max(corpus.passages * COMMON_SHARE, COMMON_AT_LEAST)
    unseen = [word for word in words if not word.passages]
    by_rarity = sorted(
        (word for word in words if word.passages), key=lambda word: (word.passages, word.lexeme)
    )
    kept: list[AskedWord] = []
    total = 0
    for word in by_rarity:
        total += word.passages
        if len(kept) >= ALWAYS_KEPT and (word.passages > common or total > MOST_PASSAGES):
            break
        kept.append(word)
    return unseen + kept
