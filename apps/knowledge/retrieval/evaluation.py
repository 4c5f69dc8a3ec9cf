"""How good a search is, measured against judged questions; pure (contract §10.6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HIT_DEPTHS = (1, 3, 5, 10)
NDCG_DEPTH = 10


@dataclass(frozen=True)
class Judged:
    """A question and the documents that answer it, each with how well (more is better, 0 is not at all)."""

    query: str
    relevant: Mapping[str, float]


@dataclass(frozen=True)
class Quality:
    """Means over all questions: whether an answer is among the first k, how early the first one comes, and how
    near the order is to the ideal one."""

    questions: int
    hit: Mapping[int, float]
    mrr: float
    ndcg: float

    def as_json(self) -> dict[str, float]:
        hits = {f"hit@{depth}": round(share, 4) for depth, share in self.hit.items()}
        return {
            **hits,
            "mrr": round(self.mrr, 4),
            f"ndcg@{NDCG_DEPTH}": round(self.ndcg, 4),
            "questions": self.questions,
        }


def quality(rankings: Iterable[tuple[Judged, Sequence[str]]]) -> Quality:
    """The figures over the rankings; a question nothing answers is left out."""
    scored = [
        (judged.relevant, list(dict.fromkeys(ranking)))
        for judged, ranking in rankings
        if any(gain > 0 for gain in judged.relevant.values())
    ]
    count = len(scored)
    return Quality(
        questions=count,
        hit={depth: _mean([hit_at(*pair, depth=depth) for pair in scored]) for depth in HIT_DEPTHS},
        mrr=_mean([reciprocal_rank(*pair) for pair in scored]),
        ndcg=_mean([ndcg(*pair, depth=NDCG_DEPTH) for pair in scored]),
    )


def hit_at(relevant: Mapping[str, float], ranking: Sequence[str], *, depth: int) -> float:
    """1 if a relevant document is among the first ones, else 0."""
    return float(any(relevant.get(document, 0) > 0 for document in ranking[:depth]))


def reciprocal_rank(relevant: Mapping[str, float], ranking: Sequence[str]) -> float:
    """1 over the rank of the first relevant document, 0 without one."""
    ranks = (rank for rank, document in enumerate(ranking, start=1) if relevant.get(document, 0) > 0)
    first = next(ranks, None)
    return 1 / first if first else 0.0


def ndcg(relevant: Mapping[str, float], ranking: Sequence[str], *, depth: int) -> float:
    """Discounted gain as a share of the best possible one; gains count as they are judged."""
    ideal = _discounted(sorted((gain for gain in relevant.values() if gain > 0), reverse=True)[:depth])
    gained = _discounted([max(relevant.get(document, 0), 0) for document in ranking[:depth]])
    return gained / ideal if ideal else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
