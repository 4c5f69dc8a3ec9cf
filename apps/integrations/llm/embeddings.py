"""Texts to vectors of 3072 numbers, where one bad text fails alone (contract §3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.integrations.llm import embedding_wire
from apps.integrations.llm.embedding_texts import is_blank, safest, sized
from apps.integrations.llm.embedding_wire import DIMENSIONS, MODEL, TIMEOUT_SECONDS, Vector
from apps.integrations.llm.failures import LlmFailure, bad_response
from apps.tenancy.context import current_tenant_id

__all__ = [
    "BLANK",
    "DIMENSIONS",
    "MODEL",
    "REFUSED",
    "UNAVAILABLE",
    "EmbeddingBatch",
    "embed",
    "vector_to_sql",
]

BATCH = 100
# Why a text has no vector. The first two hold for good; the last may pass.
BLANK = "blank"
REFUSED = "refused"
UNAVAILABLE = "unavailable"

_PROBE = "community"  # a text no embedder has a reason to refuse
_SPLITS = 64  # extra calls one refused batch may cost: enough to find about six bad texts of a hundred
_ABOUT_THE_TEXT = frozenset({400, 413, 422})


@dataclass(frozen=True, kw_only=True)
class EmbeddingBatch:
    """``vectors[i]`` belongs to ``texts[i]``, or is None with ``failures[i]`` saying why.

    ``embedder`` is the id to keep beside each vector; it is empty when no text was worth a call.
    """

    embedder: str
    vectors: list[Vector | None]
    failures: dict[int, str]


def embed(
    texts: Sequence[str], *, purpose: str = "embedding", timeout: float = TIMEOUT_SECONDS
) -> EmbeddingBatch:
    """Embeds the texts, a hundred a request, each of which may take ``timeout`` seconds.

    Raises :class:`LlmFailure` when the provider serves none of them.
    """
    current_tenant_id()
    run = _Run(purpose=purpose, timeout=timeout, vectors=[None] * len(texts))
    pending = [(index, sized(text)) for index, text in enumerate(texts) if not is_blank(text)]
    run.failures.update({index: BLANK for index, text in enumerate(texts) if is_blank(text)})
    for start in range(0, len(pending), BATCH):
        try:
            run.batch(pending[start : start + BATCH])
        except LlmFailure:
            if not run.embedder:
                raise
            # What is already there was paid for; the rest is left for the caller's next attempt.
            run.give_up(pending[start:])
            break
    return EmbeddingBatch(embedder=run.embedder, vectors=run.vectors, failures=run.failures)


def vector_to_sql(vector: Sequence[float]) -> str:
    """The text form pgvector reads, for parameters of raw SQL."""
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"


Numbered = tuple[int, str]


@dataclass(kw_only=True)
class _Run:
    """The state of one :func:`embed`."""

    purpose: str
    timeout: float
    vectors: list[Vector | None]
    failures: dict[int, str] = field(default_factory=dict)
    embedder: str = ""
    splits_left: int = 0

    def batch(self, items: list[Numbered]) -> None:
        self.splits_left = _SPLITS
        self._embed(items)

    def give_up(self, items: list[Numbered]) -> None:
        for index, _ in items:
            if self.vectors[index] is None:
                self.failures.setdefault(index, UNAVAILABLE)

    def _embed(self, items: list[Numbered]) -> None:
        """Embeds the items together; when they are refused, halves them until the bad ones stand alone."""
        try:
            self._request(items)
        except LlmFailure as failure:
            if failure.status not in _ABOUT_THE_TEXT:
                raise
            self._prove_service()
            self._divide(items)

    def _divide(self, items: list[Numbered]) -> None:
        if len(items) == 1:
            return self._last_try(*items[0])
        if self.splits_left < 2:
            return self.give_up(items)
        self.splits_left -= 2
        middle = len(items) // 2
        self._embed(items[:middle])
        return self._embed(items[middle:])

    def _last_try(self, index: int, text: str) -> None:
        """A single refused text may still be too long: once more, cut so that no tokenizer can object."""
        shorter = safest(text)
        if shorter != text and self.splits_left:
            self.splits_left -= 1
            return self._embed([(index, shorter)])
        self.failures[index] = REFUSED
        return None

    def _prove_service(self) -> None:
        """A provider that refuses everything (a wrong model name) must not mark every text as bad."""
        if not self.embedder:
            self._note(self._ask([_PROBE]).embedder)

    def _request(self, items: list[Numbered]) -> None:
        answer = self._ask([text for _, text in items])
        self._note(answer.embedder)
        for (index, _), vector in zip(items, answer.vectors, strict=True):
            self.vectors[index] = vector

    def _ask(self, texts: list[str]) -> embedding_wire.Answer:
        return embedding_wire.request(texts, purpose=self.purpose, timeout=self.timeout)

    def _note(self, embedder: str) -> None:
        if self.embedder and embedder != self.embedder:
            raise bad_response("two embedders answered one request")
        self.embedder = embedder
