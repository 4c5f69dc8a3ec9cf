"""The vector lane, and the choice of how Postgres is to walk it (contract §10.2).

Left to itself the planner takes the shared HNSW index and filters by tenant afterwards, which silently loses most
answers of a small tenant. So the plan is chosen here and the statement is written to leave no other:

* ``exact``: cosine over all rows of the tenant, for small tenants;
* ``bits``: the nearest by Hamming distance out of the covering index, then exact cosine over those;
* ``graph``: the HNSW index, only for a tenant so large that it is most of what the index holds.

Tenant, embedder and audience are filtered before any cut. The tenant comes from the context, never from a caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pgvector import HalfVector

from apps.foundation.ttl_cache import TtlCache
from apps.knowledge.retrieval.embedders import profile_of
from apps.knowledge.retrieval.execution import Row, Statement, run_statements
from apps.knowledge.retrieval.scope import Scope
from apps.knowledge.retrieval.tables import CHUNKS, VectorTable
from apps.knowledge.vectors import storable_vector
from apps.tenancy.context import current_tenant_id

Plan = Literal["exact", "bits", "graph"]

EXACT_BELOW = 2_000
GRAPH_ABOVE = 100_000
GRAPH_SHARE = 1 / 3
SIZE_CACHE_SECONDS = 60
MISSING_SHARE = 0.1

_NO_TABLE_SCAN = {
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "max_parallel_workers_per_gather": "0",
}
_GRAPH = {
    **_NO_TABLE_SCAN,
    "enable_sort": "off",
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "400",
    "hnsw.max_scan_tuples": "40000",
}
# The quantised query is computed once: written into the ORDER BY it would be computed for every row.
_QUERY = """
WITH p AS MATERIALIZED (
    SELECT v AS q, binary_quantize(v)::bit(3072) AS b
    FROM (SELECT %(vector)b::halfvec(3072) AS v OFFSET 0) given
)"""
_ROWS = "{table} k WHERE {scope} AND {condition} AND k.embedder = %(embedder)s"
# OFFSET 0 and the "+ 0" keep every vector index out of the first two.
_BODIES: dict[Plan, str] = {
    "exact": """, nearest AS (
    SELECT k.id, k.embedding <=> (SELECT q FROM p) AS distance FROM {rows} OFFSET 0
)""",
    "bits": """, candidates AS MATERIALIZED (
    SELECT k.id FROM {rows} ORDER BY (k.embedding_bq <~> (SELECT b FROM p)) + 0 LIMIT %(candidates)s
), nearest AS (
    SELECT k.id, k.embedding <=> (SELECT q FROM p) AS distance
    FROM candidates JOIN {table} k USING (id) OFFSET 0
)""",
    "graph": """, nearest AS MATERIALIZED (
    SELECT k.id, k.embedding <=> (SELECT q FROM p) AS distance FROM {rows}
    ORDER BY k.embedding <=> (SELECT q FROM p) LIMIT %(limit)s
)""",
}
# What only the hits are asked for is read after the cut.
_NEAREST = """
SELECT k.id, {source}, 1 - best.distance, {ref}
FROM (SELECT id, distance FROM nearest ORDER BY distance, id LIMIT %(limit)s) best JOIN {table} k USING (id)
ORDER BY best.distance, k.id"""
_SETTINGS: dict[Plan, dict[str, str]] = {"exact": _NO_TABLE_SCAN, "bits": _NO_TABLE_SCAN, "graph": _GRAPH}

_SIZES = """
SELECT k.embedder, count(*), (SELECT reltuples FROM pg_class WHERE oid = '{table}'::regclass)
FROM {table} k WHERE k.tenant_id = %(tenant)s AND {condition} GROUP BY k.embedder
"""


@dataclass(frozen=True)
class CorpusSize:
    """How many rows the tenant has by embedder, and how many the whole table holds, roughly."""

    by_embedder: dict[str | None, int]
    table: int

    @property
    def rows(self) -> int:
        """All rows of the tenant, embedded or not."""
        return sum(self.by_embedder.values())

    def of(self, embedder: str) -> int:
        return self.by_embedder.get(embedder, 0)

    def lacks(self, embedder: str) -> bool:
        """Are there so many rows without a vector of this embedder that finding nothing would say little?"""
        rows = sum(self.by_embedder.values())
        return rows - self.of(embedder) > rows * MISSING_SHARE


_sizes: TtlCache[tuple[object, str], CorpusSize] = TtlCache(SIZE_CACHE_SECONDS)


def corpus_size(table: VectorTable = CHUNKS) -> CorpusSize | None:
    """The current tenant's size, a minute old at most: a stale one makes a search slower, never wrong."""
    tenant = current_tenant_id()
    size = _sizes.get((tenant, table.name))
    if size is None:
        counting = _SIZES.format(table=table.name, condition=table.condition)
        rows = run_statements([Statement("size", counting, {"tenant": tenant})])["size"]
        if rows is None:
            return None
        size = _counted(rows)
        _sizes.put((tenant, table.name), size)
    return size


def choose_plan(rows: int, *, table: int) -> Plan:
    """How to walk a tenant with so many rows in a table of so many."""
    if rows < EXACT_BELOW:
        return "exact"
    return "graph" if rows > GRAPH_ABOVE and rows > table * GRAPH_SHARE else "bits"


def vector_statement(
    vector: Sequence[float],
    *,
    embedder: str,
    scope: Scope,
    limit: int,
    plan: Plan,
    table: VectorTable = CHUNKS,
    name: str = "vector",
) -> Statement:
    """The lane as a statement: rows of (id, source, cosine similarity, ref), nearest first."""
    rows = _ROWS.format(table=table.name, scope=scope.condition, condition=table.condition)
    sql = _QUERY + _BODIES[plan] + _NEAREST
    return Statement(
        name=name,
        sql=sql.format(rows=rows, table=table.name, source=table.source, ref=table.ref),
        parameters={
            **scope.parameters,
            "vector": HalfVector(storable_vector(vector)),
            "embedder": embedder,
            "candidates": profile_of(embedder).candidates(limit),
            "limit": limit,
        },
        settings=_SETTINGS[plan],
    )


def _counted(rows: list[Row]) -> CorpusSize:
    by_embedder = {embedder: count for embedder, count, _ in rows}
    estimate = int(rows[0][2]) if rows else 0
    return CorpusSize(by_embedder=by_embedder, table=max(estimate, sum(by_embedder.values())))
