"""Entries that members write: theirs, under their name, and replaced by them alone."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput, Forbidden, NotFound
from apps.knowledge.member_entries import Entry, save_entry
from apps.knowledge.models import KnowledgeChunk, KnowledgePage
from apps.knowledge.pages import save_page
from apps.tenancy.models import Tenant
from tests.agent.people import known, stranger

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("llm", "in_tenant")]
SAUNA = Entry(title="Sauna", content="Bring **two** towels.\n\n- one to sit on", category="House")


def test_a_new_entry_is_a_page_of_its_author() -> None:
    saved = save_entry(known(display_name="Ada"), SAUNA)
    page = KnowledgePage.objects.get()
    assert saved.status == "saved" and saved.page == page
    assert (page.source_type, page.author_member_id, page.author_name) == ("member_entry", "p-ada", "Ada")
    assert "<strong>two</strong>" in page.content_html and "Category: House" in page.content_text
    assert not page.is_public
    assert KnowledgeChunk.objects.filter(knowledge_page=page, embedding__isnull=False).exists()


def test_the_same_words_again_are_the_same_entry() -> None:
    first = save_entry(known(), SAUNA)
    again = save_entry(known(), SAUNA)
    assert again.status == "already_saved" and again.page == first.page
    others = save_entry(known("p-mo"), SAUNA)
    assert others.status == "saved" and others.page.slug == "sauna-2"


def test_an_author_replaces_their_own_entry() -> None:
    first = save_entry(known(), SAUNA)
    new = Entry(title="The sauna", content="Three towels.", update_slug="sauna")
    assert save_entry(known(display_name="Ada Byron"), new).status == "updated"
    page = KnowledgePage.objects.get()
    assert (page.pk, page.title, page.slug) == (first.page.pk, "The sauna", "sauna")
    assert (page.author_name, page.source_type) == ("Ada Byron", "member_entry")
    assert "two" not in page.content_text


def test_an_author_whom_a_backend_came_to_know_keeps_their_entries() -> None:
    save_entry(known("slack:U0ADA", slack_user_id="U0ADA"), SAUNA)
    met = known("p-ada", slack_user_id="U0ADA")
    assert met.ref == "p-ada"
    new = Entry(title="Sauna", content="Three towels.", update_slug="sauna")
    assert save_entry(met, new).status == "updated"


@pytest.mark.parametrize("slug", ["guests", "sauna", "nowhere", "../sauna", "\x00"])
def test_nobody_elses_page_is_replaced(slug: str) -> None:
    save_page(title="Guests", slug="guests", content_text="Until ten.")
    save_entry(known("p-mo"), SAUNA)
    before = list(KnowledgePage.objects.order_by("slug").values())
    with pytest.raises((NotFound, BadInput)):
        save_entry(known(), Entry(title="Mine now", content="Nothing.", update_slug=slug))
    assert list(KnowledgePage.objects.order_by("slug").values()) == before


@pytest.mark.parametrize("person", [stranger(), None])
def test_only_recognized_people(person: Any) -> None:
    with pytest.raises(Forbidden):
        save_entry(person or known(tier="unresolved"), SAUNA)


@pytest.mark.parametrize(
    ("title", "content"),
    [("", "x"), ("\u200b", "x"), ("x", " \n"), ("x", "\x00"), ("x" * 301, "x"), ("x", "x" * 50_001)],
)
def test_what_is_no_entry(title: str, content: str) -> None:
    with pytest.raises(BadInput):
        save_entry(known(), Entry(title=title, content=content))
    assert not KnowledgePage.objects.exists()


def test_hostile_words_stay_words() -> None:
    hostile = Entry(title="<script>1</script>", content="<img src=x onerror=1> \ud800", category="<b>x</b>")
    html = save_entry(known(), hostile).page.content_html
    assert "<img" not in html and "<b>" not in html and "&lt;img" in html


def test_two_communities(tenant: Tenant, other_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context

    save_entry(known(), SAUNA)
    with tenant_context(other_tenant), pytest.raises(NotFound):
        save_entry(known(), Entry(title="Mine", content="Now.", update_slug="sauna"))
