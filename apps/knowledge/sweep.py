"""The embedding audit of one tenant: vectors that are missing, or were made by an embedder no longer in use
(contract §11.3)."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Max, Min

from apps.foundation.environment import env
from apps.foundation.errors import Unavailable
from apps.foundation.ttl_cache import TtlCache
from apps.integrations.llm import embeddings
from apps.integrations.llm.failures import LlmFailure
from apps.knowledge.indexing import BATCH, EmbeddingRun, embed_pending, embedder_key, is_waiting
from apps.knowledge.models import KnowledgeChunk

CURRENT_CACHE_SECONDS = 600
_PROBE = "community"
_current: TtlCache[str, str] = TtlCache(CURRENT_CACHE_SECONDS)


def has_work() -> bool:
    """Does a chunk of the current tenant want a vector?"""
    return is_waiting() or _has_stale(current_embedder())


def sweep(*, stopping: Callable[[], bool] = lambda: False) -> EmbeddingRun:
    """Embeds until nothing waits or the caller stops; raises :class:`Unavailable` when no embedder answers."""
    current = current_embedder()
    total = EmbeddingRun(left=True)
    while total.left and not stopping():
        run = embed_pending(limit=BATCH, current=current)
        total = EmbeddingRun(
            embedded=total.embedded + run.embedded,
            set_aside=total.set_aside + run.set_aside,
            left=run.left and run.embedded + run.set_aside > 0,
        )
        if run.failed:
            raise Unavailable("The embedder does not answer; the next sweep tries again.")
    return total


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


def _has_stale(current: str | None) -> bool:
    """The ends of the index over embedders tell: two probes instead of a walk over every chunk."""
    ends = KnowledgeChunk.objects.aggregate(first=Min("embedder"), last=Max("embedder"))
    return current is not None and any(end not in (None, current) for end in ends.values())
