"""Five tiers, four audiences: closed text reaches nobody it is closed to, nor the model that rereads for them."""

import json
from typing import Any

import pytest

from apps.foundation.errors import NotFound
from apps.knowledge import frequencies
from apps.knowledge.audience import Audience
from apps.knowledge.pages import read_page, save_page
from apps.knowledge.retrieval.pages import search_pages
from apps.tenancy.models import Tenant
from tests.fakes.llm import Reply, says

pytestmark = pytest.mark.django_db
TIERS = ("member", "mentor", "partner", "unresolved", "public")
# The audience of each page, and a word that stands in it alone.
PAGES: dict[str, tuple[list[str] | None, str]] = {
    "open": (None, "quartz"),
    "for-members": (["member"], "garnet"),
    "for-mentors": (["mentor"], "topaz"),
    "for-nobody": ([], "opal"),
}


def _may_see(tier: str, page: str) -> bool:
    tiers = PAGES[page][0]
    return tiers is None or tier in tiers


@pytest.fixture
def pages(in_tenant: Tenant, llm: Any) -> Any:
    for slug, (tiers, word) in PAGES.items():
        parts = [f"The kiln of {word} stands in part {number}." for number in range(5)]
        html = "".join(f"<h2>Part {number}</h2><p>{text}</p>" for number, text in enumerate(parts))
        save_page(title=f"Kiln {slug}", slug=slug, content_html=html, audience_tiers=tiers)
    frequencies.refresh()
    llm.answer_with(_all_alike, purpose="search_rerank")
    return llm


def _all_alike(request: Any, _headers: Any) -> Reply:
    shown = json.loads(request["messages"][-1]["content"])["results"]
    return says(json.dumps({"scores": [{"id": result["id"], "score": 5} for result in shown]}))


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("query", ["kiln", "opal topaz garnet quartz kiln", "part 2"])
def test_search_and_neighbours_and_what_the_model_reads(pages: Any, tier: str, query: str) -> None:
    pages.requests.clear()
    outcome = search_pages(query, audience=Audience(tier))
    assert outcome.ranking == "reranked"
    shown = " ".join([text for p in outcome.passages for text in (p.text, *p.neighbors)])
    read = " ".join(request.text for request in pages.requests)
    record = json.dumps(outcome.flight.as_json())
    assert any(passage.neighbors for passage in outcome.passages)
    for slug, (_, word) in PAGES.items():
        seen = _may_see(tier, slug)
        assert (word in shown) is seen, slug
        assert (f"kiln of {word}" in read) is seen, slug
        assert (f"{slug}#" in record) is seen, slug


@pytest.mark.parametrize("tier", TIERS)
def test_a_question_that_only_a_closed_page_answers(pages: Any, tier: str) -> None:
    slugs = {passage.slug for passage in search_pages("topaz", audience=Audience(tier)).passages}
    assert ("for-mentors" in slugs) is (tier == "mentor")


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("slug", PAGES)
def test_reading_a_page(pages: Any, tier: str, slug: str) -> None:
    if _may_see(tier, slug):
        assert read_page(slug, audience=Audience(tier)).slug == slug
    else:
        with pytest.raises(NotFound):
            read_page(slug, audience=Audience(tier))


@pytest.mark.parametrize("tier", [*TIERS, None])
def test_administrators_see_everything_whatever_their_tier(pages: Any, tier: str | None) -> None:
    found = search_pages("kiln", audience=Audience(tier, is_admin=True), limit=50).passages
    assert {passage.slug for passage in found} == PAGES.keys()


def test_nobody_in_particular_sees_what_is_open(pages: Any) -> None:
    found = search_pages("kiln", audience=Audience(None), limit=50).passages
    assert {passage.slug for passage in found} == {"open"}
