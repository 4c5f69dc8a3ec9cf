"""Documents pushed to a source: created, recognised, updated, counted (contract §11.2, §17 criterion 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.foundation.errors import BadInput, Conflict, Forbidden, NotFound
from apps.knowledge.models import KnowledgeChunk, KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.pages import delete_page, save_page
from apps.knowledge.sources import pause_source
from apps.knowledge.sync.requests import push_documents
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import find_tenant, set_status
from tests.knowledge.sync.conftest import counters, document, push, the_page

pytestmark = pytest.mark.django_db
Make = Callable[..., KnowledgeSource]


def test_created_then_unchanged_then_one_updated(make: Make, llm: Any) -> None:
    source = make()
    first = push([document(1), document(2), document(3)])
    assert (first.status, first.trigger_type, counters(first)) == ("succeeded", "api", (3, 0, 0, 0))
    assert first.documents_received == 3
    assert set(KnowledgePage.objects.values_list("source_type", "knowledge_source_id")) == {
        ("api_push", source.pk)
    }
    assert not KnowledgeChunk.objects.filter(embedding__isnull=True).exists()

    llm.reset()
    again = push([document(1), document(2), document(3)])
    assert counters(again) == (0, 0, 3, 0)
    assert llm.requests == []

    third = push([document(1), document(2, "Rule 2 was rewritten altogether last night."), document(3)])
    assert counters(third) == (0, 1, 2, 0)
    assert [len(request.body["input"]) for request in llm.embeddings] == [1]
    source.refresh_from_db()
    assert source.last_synced_at is not None


def test_what_is_left_out_stays_unless_the_push_replaces(make: Make, llm: Any) -> None:
    make()
    push([document(number) for number in range(4)])
    assert counters(push([document(1)])) == (0, 0, 1, 0)
    assert counters(push([document(1), document(2)], replace_missing=True)) == (0, 0, 2, 2)
    assert sorted(KnowledgePage.objects.values_list("external_id", flat=True)) == ["1", "2"]


@pytest.mark.parametrize(
    "documents",
    [
        [],
        [document(1), {"external_id": 2, "title": "Two", "content_text": "   "}],
        [document(1), {"title": "Nameless", "content_text": "A document without an id of its own."}],
        [document(1), "not an object"],
    ],
    ids=["none", "one is empty", "one is nameless", "one is no document"],
)
def test_a_partial_delivery_deletes_nothing(make: Make, llm: Any, documents: list[Any]) -> None:
    make(replace_missing=True)
    push([document(number) for number in range(1, 11)])
    run = push(documents)
    assert run.pages_deleted == 0
    assert KnowledgePage.objects.filter(external_id__in=[str(n) for n in range(1, 11)]).count() == 10


def test_a_document_that_cannot_be_stored_is_named_and_the_others_are_stored(make: Make, llm: Any) -> None:
    make()
    run = push([document(1), {"external_id": "bad", "title": "Bad"}])
    assert (run.status, run.pages_created) == ("succeeded", 1)
    assert run.metadata["problems"] == [
        {"external_id": "bad", "reason": "it has neither content_html nor content_text"}
    ]
    assert "1 of 2 documents" in (run.error or "")
    alone = push([{"external_id": "bad", "title": "Bad"}])
    assert alone.status == "failed"


def test_seven_and_its_text_are_one_page_and_of_two_the_later_counts(make: Make, llm: Any) -> None:
    make()
    run = push([document(7), document("7", "The later one about the seventh gate counts.")])
    assert (run.documents_received, counters(run)) == (2, (1, 0, 0, 0))
    assert "later one" in the_page().content_text
    assert (
        counters(push([document(7, "The later one about the seventh gate counts.", title="Rule 7")]))[0] == 0
    )


def test_more_than_250_are_refused(make: Make) -> None:
    make()
    with pytest.raises(BadInput, match="250"):
        push_documents("handbook", [document(number) for number in range(251)])
    assert not KnowledgeSyncRun.objects.exists()


@pytest.mark.parametrize("documents", [None, {}, "text", 7])
def test_what_is_no_list_is_refused(make: Make, documents: object) -> None:
    make()
    with pytest.raises(BadInput, match="list"):
        push_documents("handbook", documents)


def test_hostile_documents_become_harmless_pages_or_problems(make: Make, llm: Any) -> None:
    make()
    run = push(
        [
            document("a\u0000b", "NUL \u0000 and a lone \ud800 surrogate in a text that is long enough."),
            document(
                "html", content_html="<p onclick=x()>Tide <script>alert(1)</script>table of the pier</p>"
            ),
            document("x" * 900, source_url="javascript:1", author_name={"a": 1}, knowledge_date="soon"),
            {"external_id": ["list"], "title": {"a": 1}, "content_text": "A text whose title is an object."},
            {"external_id": 5, "title": "T" * 9_000, "content_text": {"deep": ["value", 1]}},
        ]
    )
    assert (run.status, run.pages_created) == ("succeeded", 5)
    html = KnowledgePage.objects.get(external_id="html").content_html
    assert "script" not in html and "onclick" not in html
    long = KnowledgePage.objects.get(external_id__startswith="xxx")
    assert (long.source_url, long.author_name, long.knowledge_date) == (None, None, None)
    assert len(long.external_id or "") <= 500
    again = push(
        [document("x" * 900, source_url="javascript:1", author_name={"a": 1}, knowledge_date="soon")]
    )
    assert counters(again) == (0, 0, 1, 0)


def test_only_pushed_sources_take_pushes(make: Make) -> None:
    make("web_page", url="https://ex.org/")
    with pytest.raises(BadInput, match="fetched by Root"):
        push_documents("handbook", [document(1)])
    with pytest.raises(NotFound):
        push_documents("unknown", [document(1)])


def test_a_paused_source_takes_none_and_an_inactive_community_neither(make: Make, tenant: Tenant) -> None:
    source = make()
    pause_source(source.pk)
    with pytest.raises(Conflict, match="paused"):
        push_documents("handbook", [document(1)])
    set_status(tenant, "suspended")
    with tenant_context(find_tenant("harbour")), pytest.raises(Forbidden):
        push_documents("handbook", [document(1)])


def test_the_audience_of_the_source_is_that_of_its_pages(make: Make, llm: Any) -> None:
    make(audience_tiers=["mentor"])
    push([document(1)])
    assert the_page().audience_tiers == ["mentor"]


def test_another_pages_slug_is_never_taken_over(make: Make, llm: Any) -> None:
    save_page(title="Rule 1", slug="rule-1", content_text="Written by hand, and not the sync's to change.")
    make()
    push([document(1, slug="rule-1")])
    assert set(KnowledgePage.objects.values_list("slug", flat=True)) == {"rule-1", "rule-1-2"}


def test_slugs_of_any_script_stay_the_same(make: Make, llm: Any) -> None:
    make()
    given = [
        document("el", title="Ώρες λειτουργίας"),
        document("ja", title="営業時間のご案内"),
        document("ar", title="ساعات العمل"),
        document("none", title="???"),
    ]
    push(given)
    slugs = dict(KnowledgePage.objects.values_list("external_id", "slug"))
    assert all(0 < len(slug) <= 100 and slug.isascii() for slug in slugs.values())
    push([{**each, "title": f"{each['title']} (2)"} for each in given])
    assert dict(KnowledgePage.objects.values_list("external_id", "slug")) == slugs


def test_an_edit_by_hand_gives_way_to_the_source(make: Make, llm: Any) -> None:
    make()
    push([document(1)])
    save_page(title="Rule 1", slug="rule-1", content_text="Somebody changed what the source says here.")
    assert counters(push([document(1)])) == (0, 1, 0, 0)
    assert "warden" in the_page().content_text


def test_deleted_pages_come_back_with_the_next_push(make: Make, llm: Any) -> None:
    make()
    push([document(1)])
    delete_page("rule-1")
    assert counters(push([document(1)])) == (1, 0, 0, 0)


def test_a_details_only_change_embeds_nothing(make: Make, llm: Any) -> None:
    make()
    push([document(1)])
    llm.reset()
    assert counters(push([document(1, author_name="Ana", source_url="https://ex.org/1")])) == (0, 0, 1, 0)
    assert llm.requests == []
    page = the_page()
    assert (page.author_name, page.source_url) == ("Ana", "https://ex.org/1")
    assert KnowledgeChunk.objects.get().metadata["author_name"] == "Ana"


def test_a_page_that_was_closed_by_itself_stays_closed(make: Make, llm: Any) -> None:
    make()
    push([document(1), document(2)])
    closed, opened = KnowledgePage.objects.order_by("slug")
    save_page(
        slug=closed.slug, title=closed.title, content_html=closed.content_html, audience_tiers=["mentor"]
    )
    push([document(1, "Rule 1 was rewritten last night."), document(2, "Rule 2 was rewritten last night.")])
    closed.refresh_from_db()
    opened.refresh_from_db()
    assert "rewritten" in closed.content_text and closed.audience_tiers == ["mentor"]
    assert "rewritten" in opened.content_text and opened.audience_tiers is None
