"""Fuses ranked lists by rank alone, and keeps one source from filling the list; pure (contract §10.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

RRF_K = 60

K = TypeVar("K", bound=Hashable)
P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Hit(Generic[K, P]):
    """One entry of a ranked list: what it is, and what the lane knows about it."""

    key: K
    payload: P


@dataclass(frozen=True)
class RankedLane(Generic[K, P]):
    """A ranked list, best first, and how much its ranks count."""

    name: str
    hits: Sequence[Hit[K, P]]
    weight: float = 1.0


@dataclass(frozen=True)
class FusedHit(Generic[K, P]):
    """An entry of the fused list; ``ranks`` says where each lane had it (1 is first)."""

    key: K
    payload: P
    score: float
    ranks: dict[str, int]


@dataclass
class _Entry(Generic[P]):
    payload: P
    parts: list[float] = field(default_factory=list)
    ranks: dict[str, int] = field(default_factory=dict)


def fuse(lanes: Sequence[RankedLane[K, P]], *, k: int = RRF_K) -> list[FusedHit[K, P]]:
    """Sum of weight / (k + rank) over the lanes; the payload comes from the earliest lane that has the key.

    A lane counts a key once, at its best rank. Equal scores keep the order in which the lanes brought them.
    """
    entries: dict[K, _Entry[P]] = {}
    for lane in lanes:
        for rank, hit in enumerate(lane.hits, start=1):
            entry = entries.setdefault(hit.key, _Entry(hit.payload))
            if lane.name not in entry.ranks:
                entry.ranks[lane.name] = rank
                entry.parts.append(lane.weight / (k + rank))
    fused = [
        FusedHit(key, entry.payload, math.fsum(entry.parts), entry.ranks) for key, entry in entries.items()
    ]
    return sorted(fused, key=lambda hit: -hit.score)


def cap_per_source(items: Sequence[T], *, source: Callable[[T], Hashable], limit: int) -> list[T]:
    """The list without what exceeds ``limit`` entries of one source; order stays."""
    seen: Counter[Hashable] = Counter()
    kept: list[T] = []
    for item in items:
        key = source(item)
        seen[key] += 1
        if seen[key] <= limit:
            kept.append(item)
    return kept
