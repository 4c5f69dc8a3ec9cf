"""A small tenant beside a large one gets all its rows, whichever way Postgres is told to walk (RET-01)."""

from uuid import UUID

import numpy as np
import pytest
from django.db import connection

from apps.knowledge.audience import Audience
from apps.knowledge.retrieval import lanes
from apps.knowledge.retrieval.execution import Statement, run_statements
from apps.knowledge.retrieval.lanes import Plan, vector_statement
from apps.knowledge.retrieval.page_lanes import QueryVector, search_lanes
from apps.knowledge.retrieval.scope import chunk_scope
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.knowledge.corpus import EMBEDDER, add_chunks, add_page, directions, index_built_afterwards

pytestmark = pytest.mark.django_db
EVERYBODY = Audience("member")


def _nearest(query: np.ndarray, *, limit: int, plan: Plan, audience: Audience = EVERYBODY) -> list[UUID]:
    rows = run_statements([_lane(query, limit=limit, plan=plan, audience=audience)])["vector"]
    assert rows is not None
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    return [row[0] for row in rows]


def _lane(query: np.ndarray, *, limit: int, plan: Plan, audience: Audience = EVERYBODY) -> Statement:
    scope = chunk_scope(audience)
    return vector_statement(query.tolist(), embedder=EMBEDDER, scope=scope, limit=limit, plan=plan)


def _plan_of(statement: Statement) -> str:
    explained = Statement("plan", "EXPLAIN " + statement.sql, statement.parameters, statement.settings)
    rows = run_statements([explained])["plan"]
    assert rows is not None
    return "\n".join(row[0] for row in rows)


def test_the_right_rows_by_every_plan(tenant: Tenant, other_tenant: Tenant) -> None:
    query = directions(1, seed=1)[0]
    near = directions(1_500, seed=2, around=query, spread=0.8)
    far = directions(60, seed=3, around=query, spread=2.0)
    with index_built_afterwards():
        with tenant_context(tenant):
            large = set(add_chunks(add_page("guide"), near))
        with tenant_context(other_tenant):
            small = add_chunks(add_page("guide"), far)
    expected = [small[index] for index in np.argsort(-(far @ query))]
    with tenant_context(other_tenant):
        assert _nearest(query, limit=30, plan="exact")[:10] == expected[:10]
        assert set(_nearest(query, limit=30, plan="bits")) == set(expected[:30])
        assert len(set(_nearest(query, limit=30, plan="graph")) & set(expected)) == 30
    with tenant_context(tenant):
        for plan in ("exact", "bits", "graph"):
            found = _nearest(query, limit=100, plan=plan)
            assert len(set(found)) == 100
            assert set(found) <= large
        exact = _nearest(query, limit=100, plan="exact")
        assert len(set(exact) & set(_nearest(query, limit=100, plan="bits"))) >= 97
        _walks_as_told(query)


def _walks_as_told(query: np.ndarray) -> None:
    everything = Audience(None, is_admin=True)
    for audience in (EVERYBODY, everything):
        assert "knowledge_chunks_hnsw" not in _plan_of(
            _lane(query, limit=30, plan="exact", audience=audience)
        )
        bits = _plan_of(_lane(query, limit=30, plan="bits", audience=audience))
        assert "Index Only Scan using knowledge_chunks_covering" in bits
        assert "knowledge_chunks_hnsw" not in bits
        assert "Index Scan using knowledge_chunks_hnsw" in _plan_of(
            _lane(query, limit=30, plan="graph", audience=audience)
        )


def test_what_the_asker_may_not_see_is_left_out_before_the_cut(in_tenant: Tenant) -> None:
    query = directions(1, seed=1)[0]
    staff = add_page("staff", audience_tiers=["staff"])
    open_page = add_page("open")
    with index_built_afterwards():
        add_chunks(staff, directions(700, seed=4, around=query, spread=0.5))
        visible = set(add_chunks(open_page, directions(40, seed=5, around=query, spread=3.0)))
    for plan in ("exact", "bits", "graph"):
        found = _nearest(query, limit=30, plan=plan)
        assert len(found) == 30
        assert set(found) <= visible
    assert not set(_nearest(query, limit=30, plan="bits", audience=Audience("staff"))) & visible


def test_vectors_of_another_embedder_are_not_compared(in_tenant: Tenant) -> None:
    query = directions(1, seed=1)[0]
    add_chunks(add_page("old"), directions(5, seed=6, around=query), embedder="an/older-one")
    mine = set(add_chunks(add_page("new"), directions(5, seed=7, around=query)))
    for plan in ("exact", "bits", "graph"):
        assert set(_nearest(query, limit=30, plan=plan)) == mine


def test_settings_of_a_lane_end_with_it(in_tenant: Tenant) -> None:
    _nearest(directions(1, seed=1)[0], limit=5, plan="graph")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_sort'), current_setting('statement_timeout')")
        assert cursor.fetchone() == ("on", "1min")


def test_whoever_may_see_little_of_a_huge_community_is_not_starved_by_the_graph(
    in_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "GRAPH_ABOVE", 500)
    monkeypatch.setattr(lanes, "EXACT_BELOW", 100)
    monkeypatch.setitem(lanes._GRAPH, "hnsw.iterative_scan", "off")
    monkeypatch.setitem(lanes._GRAPH, "hnsw.ef_search", "40")
    query = directions(1, seed=1)[0]
    with index_built_afterwards():
        add_chunks(
            add_page("staff", audience_tiers=["staff"]), directions(700, seed=4, around=query, spread=0.3)
        )
        add_chunks(add_page("open"), directions(40, seed=5, around=query, spread=2.0))
    assert len(_nearest(query, limit=30, plan="graph")) < 30
    # A question without a word: the lane of meaning alone.
    embedded = QueryVector(query.tolist(), EMBEDDER)
    found = search_lanes("???", embedded, audience=EVERYBODY, limit=30)["vector"]
    assert found.walk == "graph" and not found.degraded
    assert len([*(found.rows or ()), *found.floored]) == 30
