"""Cheap deterministic embeddings for tests: a hashed bag of words, so that texts sharing words are near."""

import base64
import functools
import hashlib
import math
import re
from array import array

DIMENSIONS = 3072
_TOUCHED = 24  # coordinates a word moves; few enough that two unrelated words rarely share one
_WORD = re.compile(r"\w+|[^\w\s]")
_COMMON_WORDS = """
a an and any are as at be by can do does for from has have how i in is it me my of on or our per please that
the their there this to was we what when where which who why will with you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def embed(text: str) -> list[float]:
    """A unit vector of 3072 numbers; the same text always gives the same one."""
    vector = [0.0] * DIMENSIONS
    for word in _words(text):
        for position, sign in _coordinates(word):
            vector[position] += sign
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


def as_base64(vector: list[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode("ascii")


def _words(text: str) -> list[str]:
    words = [_stem(word) for word in _WORD.findall(text.lower())]
    return [word for word in words if word not in _COMMON] or words


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


@functools.lru_cache(maxsize=20_000)
def _coordinates(word: str) -> tuple[tuple[int, float], ...]:
    seed = hashlib.shake_128(word.encode("utf-8", "replace")).digest(_TOUCHED * 3)
    triples = (seed[start : start + 3] for start in range(0, len(seed), 3))
    return tuple(((a << 8 | b) % DIMENSIONS, 1.0 if c % 2 else -1.0) for a, b, c in triples)
