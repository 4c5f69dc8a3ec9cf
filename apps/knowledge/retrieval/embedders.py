"""What belongs to an embedder: its relevance floor and how many candidates its bits need (contract §10.2).

The offline MiniLM keeps the specification's floor. A lower one finds more by meaning and lets in more beside names and
codes; figures of both are in the README of this app.
"""

from __future__ import annotations

from dataclasses import dataclass

# Hamming candidates for a lane of up to 30 rows, and for a longer one.
CANDIDATES = 400
CANDIDATES_LONG = 600
_LONG_LANE = 30


@dataclass(frozen=True)
class EmbedderProfile:
    """How vectors of one embedder behave."""

    floor: float = 0.32

    def candidates(self, limit: int) -> int:
        """How many rows the bit lane hands to the exact comparison."""
        return CANDIDATES if limit <= _LONG_LANE else CANDIDATES_LONG


_BY_PREFIX: dict[str, EmbedderProfile] = {"offline/all-minilm-l6-v2": EmbedderProfile(floor=0.32)}
_DEFAULT = EmbedderProfile()


def profile_of(embedder: str) -> EmbedderProfile:
    """The profile of an embedder id; unknown ones are taken for the specification's."""
    for prefix, profile in _BY_PREFIX.items():
        if embedder.startswith(prefix):
            return profile
    return _DEFAULT
