"""The vector lane of Slack: not starved by the graph, and never silently half empty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pgvector import HalfVector

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval import lanes
from apps.knowledge.retrieval.slack import lanes as slack_lanes
from apps.knowledge.retrieval.slack import search_messages
from apps.knowledge.retrieval.vector_lane import QueryVector
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.knowledge.corpus import EMBEDDER, directions
from tests.knowledge.slack_talk import BEGINNING, distilled, embedded, say, ts_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("missing", "degraded"), [(2, ()), (3, ("vector",))])
def test_more_than_a_tenth_without_vectors_is_said_whatever_is_near(
    in_tenant: Tenant, llm: Any, missing: int, degraded: tuple[str, ...]
) -> None:
    for number in range(20):
        say(f"kiln {number}", number)
    embedded()
    late = [ts_of(number) for number in range(missing)]
    ProcessedSlackMessage.objects.filter(message_ts__in=late).update(embedder="an/older-one")
    outcome = search_messages("kiln", rerank=False)
    assert outcome.degraded == degraded
    assert outcome.status == ("partial" if degraded else "found") and outcome.matches


def test_summaries_without_vectors_are_said_for_themselves(in_tenant: Tenant, llm: Any) -> None:
    say("kiln hours", 1)
    embedded()
    distilled("kiln hours", 1)
    assert search_messages("kiln", rerank=False).degraded == ("artifact_vector",)


def test_a_walk_over_the_graph_that_ends_early_is_made_up_for(
    tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "GRAPH_ABOVE", 140)
    # Others' statistics may have counted rows that were rolled back.
    monkeypatch.setattr(lanes, "GRAPH_SHARE", 0.0)
    monkeypatch.setattr(lanes, "EXACT_BELOW", 100)
    monkeypatch.setattr(slack_lanes, "MESSAGE_LANE_LIMIT", 60)
    monkeypatch.setitem(lanes._GRAPH, "hnsw.iterative_scan", "off")
    monkeypatch.setitem(lanes._GRAPH, "hnsw.ef_search", "40")
    query = directions(1, seed=1)[0]
    with tenant_context(other_tenant):
        _talk(directions(60, seed=4, around=query, spread=0.3))
    with tenant_context(tenant):
        _talk(directions(150, seed=5, around=query, spread=2.0))
        asked = QueryVector(query.tolist(), EMBEDDER)
        lane = slack_lanes.search_lanes("???", asked, lanes=["vector"], artifacts=False).messages["vector"]
    assert lane.walk == "graph" and not lane.degraded
    assert len(lane.rows or ()) == 60


def _talk(vectors: np.ndarray) -> None:
    ProcessedSlackMessage.objects.bulk_create(
        ProcessedSlackMessage(
            channel_id="C0GENERAL",
            message_ts=ts_of(number),
            message_text=f"message {number}",
            message_date=BEGINNING,
            embedding=HalfVector(vector),
            embedder=EMBEDDER,
        )
        for number, vector in enumerate(vectors)
    )
