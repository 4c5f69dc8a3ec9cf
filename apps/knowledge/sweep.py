"""The embedding audit of one tenant: vectors that are missing, or were made by an embedder no longer in use, and
word counts that are out of date (contract §11.3, §10.2)."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Max, Min

from apps.foundation.environment import env
from apps.foundation.errors import Unavailable
from apps.foundation.ttl_cache import TtlCache
from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge import frequencies
from apps.knowledge.embedding import EmbeddingRun, embed_waiting, embedder_key, has_waiting
from apps.knowledge.embedding_kinds import KINDS, EmbeddedKind

CURRENT_CACHE_SECONDS = 600
_PROBE = "community"
_current: TtlCache[str, str] = TtlCache(CURRENT_CACHE_SECONDS)


def has_work() -> bool:
    """Does a row of the current tenant want a vector, or its words a new count?"""
    if any(has_waiting(kind) for kind in KINDS):
        return True
    current = current_embedder()
    return any(_has_stale(kind, current) for kind in KINDS) or frequencies.is_due()


def sweep(*, stopping: Callable[[], bool] = lambda: False) -> EmbeddingRun:
    """Embeds until nothing waits or the caller stops; raises :class:`Unavailable` when no embedder answers."""
    # The words can be counted whether or not an embedder answers.
    frequencies.refresh_if_due()
    current = current_embedder()
    runs = [_swept(kind, current=current, stopping=stopping) for kind in KINDS]
    return EmbeddingRun(
        embedded=sum(run.embedded for run in runs),
        set_aside=sum(run.set_aside for run in runs),
        left=any(run.left for run in runs),
    )


def current_embedder() -> str | None:
    """The embedder that answers now, asked at most every ten minutes; None when none does."""
    address = env().openrouter_base_url
    known = _current.get(address)
    if known is None:
        try:
            known = embedder_key(embeddings.embed([_PROBE]).embedder)
        except LlmFailure:
            return None
        _current.put(address, known)
    return known


def _swept(kind: EmbeddedKind, *, current: str | None, stopping: Callable[[], bool]) -> EmbeddingRun:
    total = EmbeddingRun(left=True)
    while total.left and not stopping():
        run = embed_waiting(kind, limit=kind.batch, current=current)
        total = EmbeddingRun(
            embedded=total.embedded + run.embedded,
            set_aside=total.set_aside + run.set_aside,
            left=run.left and run.embedded + run.set_aside > 0,
        )
        if run.failed:
            raise Unavailable("The embedder does not answer; the next sweep tries again.")
    return total


def _has_stale(kind: EmbeddedKind, current: str | None) -> bool:
    """The ends of the index over embedders tell: two probes instead of a walk over every row."""
    rows = kind.model.objects.filter(kind.wanted)
    ends = rows.aggregate(first=Min("embedder"), last=Max("embedder"))
    return current is not None and any(end not in (None, current) for end in ends.values())
