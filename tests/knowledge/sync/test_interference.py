"""A source that is paused, changed or deleted while one of its runs is at work (contract §11.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.foundation.database import give_back
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sources import delete_source, pause_source, update_source
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import Reply, says
from tests.knowledge.sync.conftest import document, push

Make = Callable[..., KnowledgeSource]
PURPOSE = "knowledge.cleanup"


def while_cleaning(tenant: Tenant, act: Callable[[], object], *, at: int = 2) -> Callable[..., Reply]:
    """A model that gives each document back, and does something else in between."""
    asked: list[int] = []

    def answer(body: dict[str, Any], _: object) -> Reply:
        asked.append(1)
        if len(asked) == at:
            with tenant_context(tenant):
                act()
            give_back()
        return says(body["messages"][1]["content"].partition("BEGIN DOCUMENT\n")[2].partition("\nEND")[0])

    return answer


@pytest.fixture
def source(committed_db: None, make: Make) -> KnowledgeSource:
    return make(ai_cleanup=True)


FOUR = [document(number) for number in range(1, 5)]


def test_paused(source: KnowledgeSource, tenant: Tenant, llm: Any) -> None:
    llm.answer_with(while_cleaning(tenant, lambda: pause_source(source.pk)), purpose=PURPOSE)
    run = push(FOUR)
    assert (run.status, run.pages_created, KnowledgePage.objects.count()) == ("failed", 1, 1)
    assert "paused" in (run.error or "")
    source.refresh_from_db()
    assert source.consecutive_failures == 0


def test_deleted(source: KnowledgeSource, tenant: Tenant, llm: Any) -> None:
    from apps.knowledge.sync.requests import QUEUE, push_documents
    from apps.tenancy.jobs import run_due
    from apps.tenancy.models import QueueJob

    llm.answer_with(while_cleaning(tenant, lambda: delete_source(source.pk)), purpose=PURPOSE)
    push_documents("handbook", FOUR)
    run_due(QUEUE)
    assert not KnowledgePage.objects.exists()
    assert not KnowledgeSyncRun.objects.exists()
    assert QueueJob.objects.get(queue=QUEUE).state == "done"


def test_another_audience(source: KnowledgeSource, tenant: Tenant, llm: Any) -> None:
    narrow = while_cleaning(tenant, lambda: update_source(source.pk, audience_tiers=["mentor"]))
    llm.answer_with(narrow, purpose=PURPOSE)
    assert push(FOUR).status == "succeeded"
    assert set(map(tuple, KnowledgePage.objects.values_list("audience_tiers", flat=True))) == {("mentor",)}
