"""Counting words: when it is due, what it counts, and for whom."""

from datetime import timedelta
from typing import Any

import pytest

from apps.knowledge import frequencies
from apps.knowledge.models import KeywordFrequency, KeywordStats, KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import delete_page, save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db


def _counts() -> dict[str, int]:
    return dict(KeywordFrequency.objects.values_list("lexeme", "ndoc"))


def _age(by: timedelta) -> None:
    stats = KeywordStats.objects.get()
    KeywordStats.objects.filter(pk=stats.pk).update(refreshed_at=stats.refreshed_at - by)


def _save(number: int) -> None:
    save_page(title=f"Desk {number}", content_text=f"The desk number {number} is free this week.")


def test_words_of_one_tenant_are_counted_by_passage(tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    with tenant_context(other_tenant):
        save_page(title="Zeppelin", content_text="A zeppelin lands here, a large zeppelin.")
        frequencies.refresh()
    with tenant_context(tenant):
        save_page(title="Desk", content_text="The desk, a desk by the window.")
        save_page(title="Lamp", content_text="The lamp on the desk is green.")
        frequencies.refresh()
        counts = _counts()
        stats = KeywordStats.objects.get()
        lengths = KnowledgeChunk.objects.values_list("doc_len", flat=True)
        assert (counts["desk"], counts["lamp"]) == (2, 1) and "zeppelin" not in counts
        assert (stats.n, stats.chunks_at_refresh) == (2, 2)
        assert stats.avgdl == pytest.approx(sum(lengths) / 2)


def test_a_count_replaces_the_one_before(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Desk", slug="desk", content_text="The desk by the window is free.")
    frequencies.refresh()
    delete_page("desk")
    save_page(title="Lamp", content_text="The lamp in the hall is green.")
    frequencies.refresh()
    assert "desk" not in _counts() and _counts()["lamp"] == 1
    assert KeywordStats.objects.count() == 1


def test_it_is_due_when_the_pages_moved_by_more_than_a_tenth(in_tenant: Tenant, llm: Any) -> None:
    assert not frequencies.is_due()
    for number in range(10):
        _save(number)
    assert frequencies.refresh_if_due()
    assert not frequencies.refresh_if_due()
    _save(10)
    assert not frequencies.is_due()
    _save(11)
    assert frequencies.refresh_if_due()
    assert KeywordStats.objects.get().n == 12


def test_it_is_due_after_a_day_only_if_something_changed(in_tenant: Tenant, llm: Any) -> None:
    for number in range(10):
        _save(number)
    frequencies.refresh()
    KnowledgePage.objects.update(updated_at=KeywordStats.objects.get().refreshed_at - timedelta(days=9))
    _age(timedelta(days=2))
    assert not frequencies.is_due()
    save_page(title="Desk 3", slug="desk-3", content_text="The desk number 3 has been taken since.")
    assert frequencies.is_due()


def test_a_large_tenant_is_sampled(in_tenant: Tenant, llm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        _save(number)
    monkeypatch.setattr(frequencies, "SAMPLED_ABOVE", 50)
    frequencies.refresh()
    # A tenth of the chunks, scaled up: every count is a multiple of ten, and few of the 60 numbers were seen.
    assert all(count % 10 == 0 for count in _counts().values()) and len(_counts()) < 50
    assert KeywordStats.objects.get().n == 60
