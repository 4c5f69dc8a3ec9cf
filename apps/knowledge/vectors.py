"""Vectors brought into the range of half precision; only their direction counts (contract §3.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Half precision ends at 65,504 and loses its digits below 6e-5.
_LARGEST = 30_000.0
_SMALLEST = 1e-3


def storable_vector(vector: Sequence[float]) -> list[float]:
    """The vector as it is, or of length one when its numbers would overflow or vanish."""
    peak = max(map(abs, vector))
    if _SMALLEST <= peak <= _LARGEST:
        return list(vector)
    scaled = [number / peak for number in vector]
    length = math.sqrt(math.fsum(number * number for number in scaled))
    return [number / length for number in scaled]
