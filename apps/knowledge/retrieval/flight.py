"""The flight record of a search: where each lane had what, and why the rest fell out; refs only (contract §10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

CutReason = Literal["floor", "source_cap", "window", "rerank", "limit", "gone"]


@dataclass(frozen=True)
class Seen:
    """One entry of a ranked list; ``rank`` 1 is first, ``score`` is the list's own."""

    ref: str
    rank: int
    score: float


@dataclass(frozen=True)
class Cut:
    """An entry that was found and not shown: too far away (``floor``), one too many of its source, further back
    than the model reread (``window``), left out by it (``rerank``), beyond the limit, or deleted or closed
    meanwhile (``gone``)."""

    ref: str
    why: CutReason


@dataclass(frozen=True, kw_only=True)
class Flight:
    """How a search went. A lane that failed is None. ``walks`` says how each lane worked, ``reranked`` holds what
    the model scored, and ``unknown_ids`` how many ids it made up."""

    lanes: Mapping[str, Sequence[Seen] | None] = field(default_factory=dict)
    walks: Mapping[str, str] = field(default_factory=dict)
    fused: Sequence[Seen] = ()
    reranked: Mapping[str, float] = field(default_factory=dict)
    unknown_ids: int = 0
    cut: Sequence[Cut] = ()

    def as_json(self) -> dict[str, Any]:
        """As the run record keeps it."""
        return {
            "lanes": {name: None if lane is None else _listed(lane) for name, lane in self.lanes.items()},
            "walks": dict(self.walks),
            "fused": _listed(self.fused),
            "reranked": dict(self.reranked),
            "unknown_ids": self.unknown_ids,
            "cut": [{"ref": cut.ref, "why": cut.why} for cut in self.cut],
        }


def seen(refs_and_scores: Sequence[tuple[str, float]]) -> tuple[Seen, ...]:
    """A ranked list as a record."""
    return tuple(Seen(ref, rank, score) for rank, (ref, score) in enumerate(refs_and_scores, start=1))


def _listed(entries: Sequence[Seen]) -> list[dict[str, Any]]:
    return [{"ref": entry.ref, "rank": entry.rank, "score": round(entry.score, 5)} for entry in entries]
