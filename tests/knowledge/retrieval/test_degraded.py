"""What a search says when a part of it does not work."""

from typing import Any

import pytest
from django.db import connection

from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.pages import save_page
from apps.knowledge.retrieval import page_lanes
from apps.knowledge.retrieval.execution import Statement, run_statements
from apps.knowledge.retrieval.pages import search_pages
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails

pytestmark = pytest.mark.django_db
MEMBER = Audience("member")


@pytest.fixture
def desk(in_tenant: Tenant, llm: Any) -> Any:
    save_page(title="Desk", content_text="The desk by the window is free.")
    return llm


def test_without_the_embedder_words_still_answer(desk: Any) -> None:
    desk.embedding.replies.append(fails(503))
    outcome = search_pages("desk", audience=MEMBER)
    assert (outcome.status, outcome.degraded) == ("partial", ("vector",))
    assert [passage.slug for passage in outcome.passages] == ["desk"]


def test_a_slow_embedder_is_not_waited_for(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_lanes, "EMBED_SECONDS", 0.2)
    desk.embedding.delay = 20.0
    outcome = search_pages("desk", audience=MEMBER)
    assert (outcome.status, outcome.degraded) == ("partial", ("vector",))
    assert len(outcome.passages) == 1


def test_nothing_found_by_half_a_search_is_not_empty(desk: Any) -> None:
    desk.embedding.replies.append(fails(503))
    assert search_pages("zeppelin", audience=MEMBER).status == "partial"


def test_without_any_lane_the_search_failed(desk: Any) -> None:
    desk.embedding.replies.append(fails(503))
    outcome = search_pages("???", audience=MEMBER)
    assert (outcome.status, outcome.degraded, outcome.passages) == ("failed", ("vector",), ())


def test_a_broken_keyword_lane_leaves_the_other(desk: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE knowledge_chunks RENAME COLUMN search_tsv TO search_tsv_gone")
    outcome = search_pages("desk window", audience=MEMBER)
    assert (outcome.status, outcome.degraded) == ("partial", ("keyword",))
    assert [passage.slug for passage in outcome.passages] == ["desk"]


def test_a_lane_that_takes_too_long_is_stopped_and_spoils_no_other(in_tenant: Tenant) -> None:
    rows = run_statements(
        [
            Statement("before", "SELECT 1", {}),
            Statement("slow", "SELECT pg_sleep(30)", {}),
            Statement("wrong", "SELECT nonsense", {}),
            Statement("after", "SELECT %(number)s::int", {"number": 2}),
        ],
        timeout_ms=200,
    )
    assert rows == {"before": [(1,)], "slow": None, "wrong": None, "after": [(2,)]}


def test_a_corpus_that_is_half_embedded_is_reported_as_a_gap(desk: Any) -> None:
    """While vectors are made anew after a change of model, what was not compared may still be there."""
    for number in range(3):
        save_page(title=f"Lamp {number}", content_text=f"The lamp number {number} is broken.")
    KnowledgeChunk.objects.filter(metadata__slug="desk").update(embedder="an/older-one")
    outcome = search_pages("zeppelin", audience=MEMBER)
    assert (outcome.status, outcome.degraded) == ("partial", ("vector",))


def test_vectors_of_a_replaced_embedder_are_reported_as_a_gap(desk: Any) -> None:
    desk.embedding.model = "scripted/another"
    outcome = search_pages("desk", audience=MEMBER)
    assert (outcome.status, outcome.degraded) == ("partial", ("vector",))
    assert [passage.slug for passage in outcome.passages] == ["desk"]
