"""What is deleted is out of every search at once, and can be brought back for a week (contract §11, the trash)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from apps.foundation.clock import now
from apps.foundation.errors import Conflict, NotFound
from apps.knowledge import trash
from apps.knowledge.audience import Audience
from apps.knowledge.models import KnowledgeChunk, KnowledgePage, KnowledgeTrash
from apps.knowledge.pages import delete_page, restore_page, save_page
from apps.knowledge.retrieval.pages import search_pages
from apps.knowledge.sources import create_source, delete_source
from apps.knowledge.sync.requests import QUEUE, push_documents
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.jobs.retention import ALSO_SWEPT
from apps.tenancy.models import Tenant

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_tenant", "llm")]
TEXT = "The gate of the harbour is open from seven to ten."


def found(query: str = "harbour gate open") -> list[str]:
    searched = search_pages(query, audience=Audience(tier="member"), rerank=False)
    return [passage.slug for passage in searched.passages]


def saved(**fields: Any) -> KnowledgePage:
    return save_page(title="Gate", content_text=TEXT, **fields).page


def test_deleted_at_once_and_brought_back_whole() -> None:
    before = saved(audience_tiers=["member"], author_name="Ana", knowledge_date="2026-03-31", is_public=True)
    assert found() == ["gate"]
    delete_page("gate", deleted_by="ana@ex.org", reason="old")
    assert found() == []
    assert not KnowledgeChunk.objects.exists()
    kept = KnowledgeTrash.objects.get()
    assert (kept.deleted_by, kept.reason, "embedding" in str(kept.page)) == ("ana@ex.org", "old", False)
    page = restore_page(kept.pk)
    same = ("slug", "title", "content_html", "audience_tiers", "author_name", "public_id", "is_public")
    assert all(str(getattr(page, name)) == str(getattr(before, name)) for name in same)
    assert found() == ["gate"]
    assert not KnowledgeTrash.objects.exists()
    with pytest.raises(NotFound):
        restore_page(kept.pk)


def test_its_slug_is_free_at_once_and_the_old_page_comes_back_under_another() -> None:
    saved()
    delete_page("gate")
    assert saved(slug="gate").slug == "gate"
    assert restore_page(KnowledgeTrash.objects.get().pk).slug == "gate-2"


def test_final_deletions_leave_nothing() -> None:
    saved()
    delete_page("gate", reason="asked for by the member", final=True)
    assert not KnowledgeTrash.objects.exists()
    saved()
    delete_page("gate")
    restored = restore_page(KnowledgeTrash.objects.get().pk)
    delete_page(restored.slug, final=True)
    assert not KnowledgeTrash.objects.exists()


def test_a_resync_empties_its_entry_and_a_race_is_a_conflict() -> None:
    registry.autodiscover()
    create_source(source_key="handbook", name="Handbook", source_kind="api_push")
    document = {"external_id": 1, "title": "Gate", "content_text": TEXT}

    def push() -> None:
        push_documents("handbook", [document])
        run_due(QUEUE)

    push()
    delete_page("gate")
    entry = KnowledgeTrash.objects.get()
    push()
    assert not KnowledgeTrash.objects.exists()
    entry.save(force_insert=True)
    with pytest.raises(Conflict, match="anew"):
        restore_page(entry.pk)


def test_without_its_source_a_page_comes_back_as_one_of_nobody() -> None:
    source = create_source(source_key="handbook", name="Handbook", source_kind="api_push")
    page = saved()
    KnowledgePage.objects.filter(pk=page.pk).update(knowledge_source_id=source.pk, external_id="1")
    delete_source(source.pk)
    back = restore_page(KnowledgeTrash.objects.get().pk)
    assert (back.knowledge_source_id, back.external_id) == (None, None)


def test_it_ends_after_a_week() -> None:
    saved()
    delete_page("gate")
    entry = KnowledgeTrash.objects.get()
    KnowledgeTrash.objects.update(created_at=now() - timedelta(days=7, minutes=1))
    with pytest.raises(NotFound):
        restore_page(entry.pk)
    assert trash.sweep in ALSO_SWEPT
    assert trash.sweep() == 1
    assert not KnowledgeTrash.objects.exists()


@pytest.mark.parametrize("wrong", ["", "x", None, 7, "00000000-0000-4000-8000-000000000000"])
def test_ids_that_name_nothing(wrong: Any) -> None:
    with pytest.raises(NotFound):
        restore_page(wrong)


def test_other_communities_trash_does_not_exist(other_tenant: Tenant) -> None:
    saved()
    delete_page("gate")
    entry = KnowledgeTrash.objects.get()
    with tenant_context(other_tenant), pytest.raises(NotFound):
        restore_page(entry.pk)
    assert KnowledgeTrash.objects.exists()
