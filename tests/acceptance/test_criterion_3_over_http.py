"""Criterion 3 as programs see it: a page created with POST /kb/pages is found by search_knowledge_base.

The embedder is away when the page comes, so that a real worker has to make its vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.knowledge.jobs import EMBEDDING_AUDIT
from apps.knowledge.models import KnowledgeChunk
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from tests.acceptance.program import program_of
from tests.acceptance.test_criterion_3_page_is_found import PARTS, told_to_the_model
from tests.plugins.community import Community
from tests.tenancy.jobs.processes import Fleet, until

pytestmark = pytest.mark.serial
HTML = "".join(f"<h2>Step {number}</h2><p>{part}</p>" for number, part in enumerate(PARTS, start=1))


def test_a_page_created_by_a_program_is_found(
    community: Community, fleet_of: Callable[..., Fleet], settings: Any
) -> None:
    llm = community.llm
    settings.ENV = settings.ENV.model_copy(update={"search_llm_rerank": False})
    with program_of(community.tenant) as program, tenant_context(community.tenant):
        llm.embedding.refuses = lambda _: True
        made = program.ask("POST", "/kb/pages", {"title": "Hauling out", "content_html": HTML}, status=201)
        assert made["slug"] == "hauling-out"
        half = program.ask("POST", "/kb/search", {"query": "slipway crane bookings"})
        assert (half["status"], half["degraded"]) == ("partial", ["vector"])

        llm.embedding.refuses = lambda _: False
        fleet_of(EMBEDDING_AUDIT).start()
        jobs.enqueue(EMBEDDING_AUDIT, key="audit", payload={})
        until(lambda: not KnowledgeChunk.objects.filter(embedding__isnull=True).exists(), "all is embedded")

        found = program.ask("POST", "/kb/search", {"query": "slipway crane bookings", "limit": 1})
        assert (found["status"], found["degraded"], found["ranking"]) == ("found", [], "fused")
        [first] = found["results"]
        # First by meaning and by words: the sum of two reciprocal ranks.
        assert first["score"] == pytest.approx(2 / 61, abs=1e-4)
        assert (first["slug"], first["section"]) == ("hauling-out", "Step 2")
        assert "extension 4471" in first["text"]
        before, after = first["neighbors"]
        assert "signs the register" in before and "washed on the slab" in after

        said = told_to_the_model(llm, "When do I book the slipway crane?")
    assert "extension 4471" in said and "signs the register" in said and "washed on the slab" in said
