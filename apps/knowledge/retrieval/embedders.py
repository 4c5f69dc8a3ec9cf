"""What belongs to an embedder: its relevance floor and how many candidates its bits need (contract §10.2).

A floor is measured on pairs of questions and passages. For the offline MiniLM at 0.25: of 201 judged pairs of the
Cranfield collection it keeps 95 %; over the chunks of the demo community 26 questions find their page at 0.35 or
better, 95 % of all other chunks stay below 0.26, and 8 of 10 questions about something else find nothing. Below
0.2 unrelated chunks enter in numbers, at 0.32 a tenth of the judged pairs is lost.
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


_BY_PREFIX: dict[str, EmbedderProfile] = {"offline/all-minilm-l6-v2": EmbedderProfile(floor=0.25)}
_DEFAULT = EmbedderProfile()


def profile_of(embedder: str) -> EmbedderProfile:
    """The profile of an embedder id; unknown ones are taken for the specification's."""
    for prefix, profile in _BY_PREFIX.items():
        if embedder.startswith(prefix):
            return profile
    return _DEFAULT
