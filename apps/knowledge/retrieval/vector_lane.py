"""The vector lane of a search as it is run: how it walks, what it lacks, and its second try (contract §10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from apps.knowledge.retrieval.execution import Row, Statement
from apps.knowledge.retrieval.lanes import CorpusSize, choose_plan, vector_statement
from apps.knowledge.retrieval.scope import Scope
from apps.knowledge.retrieval.tables import CHUNKS, VectorTable


@dataclass(frozen=True)
class QueryVector:
    """A question as a vector, and whose vectors it may be compared with."""

    values: Sequence[float]
    embedder: str


@dataclass(frozen=True, kw_only=True)
class VectorLane:
    """The statement of the lane; ``wider`` misses nothing, for an asker whose rows the graph's walk passes by.

    ``short`` says that too many rows have no vector that the question's could be compared with.
    """

    statement: Statement
    plan: str
    short: bool
    limit: int
    wider: Statement | None = None

    def second(self, rows: Sequence[Row]) -> Statement | None:
        """Did the walk end before it had found enough that the asker may see?"""
        return self.wider if len(rows) < self.limit else None


def vector_lane(
    embedded: QueryVector,
    *,
    size: CorpusSize,
    scope: Scope,
    limit: int,
    table: VectorTable = CHUNKS,
    name: str = "vector",
) -> VectorLane:
    """The lane over a table in which the tenant has so many rows."""
    plan = choose_plan(size.of(embedded.embedder), table=size.table)
    walk = partial(
        vector_statement,
        embedded.values,
        embedder=embedded.embedder,
        scope=scope,
        limit=limit,
        table=table,
        name=name,
    )
    return VectorLane(
        statement=walk(plan=plan),
        plan=plan,
        short=size.lacks(embedded.embedder),
        limit=limit,
        wider=walk(plan="bits") if plan == "graph" else None,
    )
