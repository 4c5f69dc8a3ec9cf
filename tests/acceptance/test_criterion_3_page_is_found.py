"""Criterion 3: a page that is added is found by meaning and by words, fused, with its neighbours.

The embedder is away when the page is added, so that a real worker has to make its vectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from apps.agent.turns import Caller, TurnRequest, run_turn
from apps.knowledge.audience import Audience
from apps.knowledge.jobs import EMBEDDING_AUDIT
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.retrieval.pages import search_pages
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from tests.fakes.llm import calls, says
from tests.plugins.community import Community
from tests.tenancy.jobs.processes import Fleet, until

pytestmark = pytest.mark.serial
PARTS = [
    "Before a boat is hauled out, its owner signs the register in the office and leaves the keys with the warden.",
    "The slipway crane lifts eleven tonnes. Bookings of the crane go to Zubrowka, extension 4471, a week ahead.",
    "After the lift the hull is washed on the slab, and the slab is left clean for the crew that follows.",
]
PAGE = "# Hauling out\n\n" + "\n\n".join(
    f"## Step {number}\n\n{part}" for number, part in enumerate(PARTS, start=1)
)


def test_an_added_page_is_found(community: Community, fleet_of: Callable[..., Fleet], tmp_path: Path) -> None:
    llm = community.llm
    llm.embedding.refuses = lambda _: True
    path = tmp_path / "hauling-out.md"
    path.write_text(PAGE)
    call_command("page", "add", community.tenant.slug, str(path))
    llm.embedding.refuses = lambda _: False
    with tenant_context(community.tenant):
        assert KnowledgeChunk.objects.filter(embedding__isnull=True).count() == 3
        fleet_of(EMBEDDING_AUDIT).start()
        jobs.enqueue(EMBEDDING_AUDIT, key="audit", payload={})
        until(lambda: not KnowledgeChunk.objects.filter(embedding__isnull=True).exists(), "all is embedded")

        outcome = search_pages("slipway crane bookings", audience=Audience("member"), rerank=False)
        flight = outcome.flight.as_json()
        assert (outcome.status, outcome.degraded) == ("found", ())
        first = [lane[0]["ref"] for lane in (*flight["lanes"].values(), flight["fused"])]
        assert first == ["hauling-out#1"] * 3
        assert flight["fused"][0]["score"] == pytest.approx(2 / 61, abs=1e-4)

        said = told_to_the_model(llm, "When do I book the slipway crane?")
    assert "extension 4471" in said
    # What stands before and after the passage comes with it.
    assert "signs the register" in said and "washed on the slab" in said


def told_to_the_model(llm: Any, question: str) -> str:
    """What the tool gave in a whole turn."""
    llm.reset()
    results: list[str] = []

    def member(body: dict[str, Any], _: object) -> Any:
        results[:] = [json.dumps(m["content"]) for m in body["messages"] if m["role"] == "tool"]
        if body.get("tools") and not results:
            return calls(("search_knowledge_base", {"query": question}))
        return says("Bookings go to extension 4471.")

    llm.answer_with(member)
    outcome = run_turn(
        TurnRequest(
            message=question, channel="web", caller=Caller(email="ada@harbour.example"), thread_key="t"
        )
    )
    assert "4471" in outcome.response
    return " ".join(results)
