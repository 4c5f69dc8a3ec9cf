"""Fills communities of any size with rows to search, quickly: binary COPY, and the graph indexes left out, which no
plan here reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from django.db import connection
from pgvector.psycopg import register_vector

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import create_tenant
from scripts.bench.searching.vectors import Source, Vectors

EMBEDDER = "bench/vectors"
QUESTIONS = 12
_SLICE = 2_000


@dataclass(frozen=True)
class Filled:
    """A community, and questions that resemble rows of it."""

    tenant: Tenant
    rows: int
    questions: list[tuple[str, list[float]]]


class Words(Protocol):
    """Texts of words that follow Zipf's law."""

    def text(self, words: int) -> str: ...


class Writer(Protocol):
    """Writes the rows of one surface."""

    @property
    def graphs(self) -> Sequence[str]: ...

    @property
    def tables(self) -> Sequence[str]: ...

    def begin(self, rows: int, *, visible_share: float) -> None:
        """Makes what the rows of the current community belong to."""

    def write(self, source: Source, *, start: int, count: int) -> Vectors:
        """So many rows from that number on, and their vectors."""

    def end(self) -> None:
        """What is reckoned once all rows are there."""


class Filler:
    """Writes communities of any size, of one kind of vectors."""

    def __init__(self, source: Source, *, words: Words, writer: Writer) -> None:
        self._source, self._words, self._writer = source, words, writer
        with connection.cursor() as cursor:
            for graph in writer.graphs:
                cursor.execute(f"DROP INDEX IF EXISTS {graph}")

    def fill(self, slug: str, rows: int, *, visible_share: float = 1.0) -> Filled:
        """A community of so many rows; of its pages that share is open, the others are for mentors."""
        tenant = create_tenant(slug, display_name=slug, agent_name="Bench", timezone="UTC")
        with tenant_context(tenant):
            self._writer.begin(rows, visible_share=visible_share)
            questions: list[tuple[str, list[float]]] = []
            for start in range(0, rows, _SLICE):
                vectors = self._writer.write(self._source, start=start, count=min(_SLICE, rows - start))
                if len(questions) < QUESTIONS:
                    questions += self._questions(vectors, wanted=QUESTIONS - len(questions))
            self._writer.end()
        return Filled(tenant, rows, questions)

    def settle(self) -> None:
        """As autovacuum leaves the tables in time."""
        with connection.cursor() as cursor:
            for table in self._writer.tables:
                cursor.execute(f"VACUUM (ANALYZE) {table}")

    def _questions(self, vectors: Vectors, *, wanted: int) -> list[tuple[str, list[float]]]:
        some = vectors[:: max(len(vectors) // wanted, 1)][:wanted]
        return [(self._words.text(8), vector.tolist()) for vector in self._source.near(some)]


class ZipfWords:
    """Words by their rank, spelled by whoever needs them."""

    def __init__(self, spelled: Sequence[str]) -> None:
        self._chance = np.random.default_rng(11)
        self._spelled = spelled
        weights = 1 / np.arange(1, len(spelled) + 1)
        self._cumulated = np.cumsum(weights / weights.sum())

    def text(self, words: int) -> str:
        ranks = np.searchsorted(self._cumulated, self._chance.random(words))
        return " ".join(self._spelled[min(rank, len(self._spelled) - 1)] for rank in ranks)


def copy_rows(statement: str, rows: Iterable[Sequence[Any]], *, types: Sequence[str]) -> None:
    """Rows by binary COPY."""
    connection.ensure_connection()
    raw: Any = connection.connection
    register_vector(raw)
    with raw.cursor() as cursor, cursor.copy(f"COPY {statement} FROM STDIN WITH (FORMAT BINARY)") as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
