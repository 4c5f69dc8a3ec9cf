"""Saving, finding and deleting pages."""

from datetime import date
from typing import Any

import pytest

from apps.foundation.errors import BadInput, NotFound
from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import delete_page, find_page, save_page
from apps.tenancy.models import Tenant

pytestmark = pytest.mark.django_db
TEXT = "The gate is open from seven to ten."


def test_a_new_page_is_stored_cut_and_embedded(in_tenant: Tenant, llm: Any) -> None:
    saved = save_page(
        title="  Opening \n hours ",
        content_html=f"<h1>Gate</h1><p>{TEXT}</p>",
        source_url="https://ex.org/gate",
        author_name="Ana",
        knowledge_date="2026-03-31T10:00:00Z",
        audience_tiers=["mentor", "member", "mentor"],
    )
    page = KnowledgePage.objects.get()
    assert (saved.created, saved.changed, saved.page.pk) == (True, True, page.pk)
    assert (page.title, page.slug, page.source_type) == ("Opening hours", "opening-hours", "manual")
    assert page.content_text == f"Gate\n\n{TEXT}"
    assert page.knowledge_date == date(2026, 3, 31)
    assert page.audience_tiers == ["member", "mentor"]
    assert len(page.public_id) == 16
    chunk = KnowledgeChunk.objects.get()
    assert chunk.chunk_text == f"Gate\n\n{TEXT}"
    assert chunk.metadata == {
        "title": "Opening hours",
        "slug": "opening-hours",
        "public_id": page.public_id,
        "source_type": "manual",
        "author_name": "Ana",
        "section_heading": "Gate",
    }
    assert chunk.embedder == "scripted/word-vectors-1"
    assert llm.embeddings[0].body["input"] == [f"Opening hours\n\nGate\n\n{TEXT}"]


def test_the_same_content_is_not_embedded_again(in_tenant: Tenant, llm: Any) -> None:
    first = save_page(title="Gate", slug="gate", content_text=TEXT)
    asked = len(llm.embeddings)
    again = save_page(title="Gate", slug="gate", content_text=TEXT, author_name="Ana", source_type="api")
    assert (again.created, again.changed, again.page.pk) == (False, False, first.page.pk)
    assert len(llm.embeddings) == asked
    chunk = KnowledgeChunk.objects.get()
    assert (chunk.metadata["author_name"], chunk.metadata["source_type"]) == ("Ana", "api")
    assert chunk.embedding is not None


def test_changed_content_embeds_only_what_is_new(in_tenant: Tenant, llm: Any) -> None:
    parts = [f"<h2>Part {number}</h2><p>{TEXT}</p>" for number in range(3)]
    save_page(title="Gate", slug="gate", content_html="".join(parts))
    llm.reset()
    saved = save_page(
        title="Gate", slug="gate", content_html="<h2>News</h2><p>Closed on Monday.</p>" + "".join(parts)
    )
    assert (saved.created, saved.changed) == (False, True)
    assert [request.body["input"] for request in llm.embeddings] == [["Gate\n\nNews\n\nClosed on Monday."]]
    assert KnowledgeChunk.objects.filter(embedding__isnull=False).count() == 4


def test_a_new_title_embeds_everything_again(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Gate", slug="gate", content_text=TEXT)
    llm.reset()
    save_page(title="Main gate", slug="gate", content_text=TEXT)
    assert llm.embeddings[0].body["input"] == [f"Main gate\n\n{TEXT}"]


def test_what_is_not_given_stays(in_tenant: Tenant, llm: Any) -> None:
    save_page(
        title="Gate",
        slug="gate",
        content_text=TEXT,
        audience_tiers=["staff"],
        is_public=True,
        author_name="Ana",
    )
    page = save_page(title="Gate", slug="gate", content_text=TEXT + " Always.").page
    assert (page.audience_tiers, page.is_public, page.author_name) == (["staff"], True, "Ana")
    page = save_page(title="Gate", slug="gate", content_text=TEXT, audience_tiers=None, author_name=None).page
    assert (page.audience_tiers, page.author_name) == (None, None)


def test_derived_slugs_are_unique_and_explicit_ones_brought_into_form(in_tenant: Tenant, llm: Any) -> None:
    slugs = [
        save_page(title=title, content_text=TEXT).page.slug
        for title in ("Gate", "Gate!", "gate", "😀", "Врата")
    ]
    assert slugs == ["gate", "gate-2", "gate-3", "page", "vrata"]
    assert save_page(title="x", slug="The GATE_4", content_text=TEXT).page.slug == "the-gate-4"
    long = [save_page(title="word " * 100, content_text=TEXT).page.slug for _ in range(2)]
    assert all(len(slug) <= 100 for slug in long) and long[1].endswith("-2")


def test_a_short_page_is_stored_without_chunks(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Tiny", content_text="Too short.")
    assert not KnowledgeChunk.objects.exists()
    assert not llm.embeddings


def test_deleting_frees_the_slug(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Gate", content_text=TEXT)
    delete_page("gate")
    assert find_page("gate") is None
    assert not KnowledgeChunk.objects.exists()
    assert save_page(title="Gate", content_text=TEXT).page.slug == "gate"
    with pytest.raises(NotFound):
        delete_page("nothing-here")


@pytest.mark.parametrize("slug", ["", "a\x00b", "\ud800", "x" * 100_000])
def test_an_odd_slug_is_simply_not_there(in_tenant: Tenant, slug: str) -> None:
    assert find_page(slug) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": ""},
        {"title": " \n\x00 "},
        {"title": 7},
        {"title": "x" * 60_000},
        {"content_text": None},
        {"content_text": "  "},
        {"content_text": ["list"]},
        {"content_html": "<script>alert(1)</script>"},
        {"content_text": "x" * 5_000_001},
        {"slug": "!!!"},
        {"source_url": "javascript:1"},
        {"source_url": "//ex.org"},
        {"source_url": "mailto:a@ex.org"},
        {"knowledge_date": "yesterday"},
        {"knowledge_date": 5},
        {"source_type": "Not A Type"},
        {"is_public": "yes"},
        {"audience_tiers": "mentor"},
        {"audience_tiers": [1]},
        {"audience_tiers": [""]},
        {"author_name": "x" * 5_000},
    ],
    ids=str,
)
def test_bad_input_is_refused_with_a_sentence_and_nothing_stored(
    in_tenant: Tenant, llm: Any, wrong: dict[str, Any]
) -> None:
    arguments: dict[str, Any] = {"title": "Gate", "content_text": TEXT} | wrong
    with pytest.raises(BadInput, match=r"\.$"):
        save_page(**arguments)
    assert not KnowledgePage.objects.exists()


def test_text_the_database_cannot_hold_is_cleaned(in_tenant: Tenant, llm: Any) -> None:
    page = save_page(
        title="Ga\x00te \ud800", content_text="Open\x00 from \udfff seven.\n\nAnd <b>so</b> on."
    ).page
    page.refresh_from_db()
    assert page.title == "Gate \ufffd"
    assert page.content_text == "Open from \ufffd seven.\n\nAnd <b>so</b> on."
