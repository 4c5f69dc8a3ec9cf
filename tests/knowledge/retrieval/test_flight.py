"""The flight record of a search: where each page was, and why one is not in the answer."""

import json
from typing import Any

import psycopg
import pytest

from apps.knowledge.audience import Audience
from apps.knowledge.pages import save_page
from apps.knowledge.retrieval.pages import search_pages
from apps.tenancy.models import Tenant
from tests.fakes.llm import Reply, fails, says

MEMBER = Audience("member")


def _flight(query: str, **options: Any) -> dict[str, Any]:
    return search_pages(query, audience=MEMBER, rerank=False, **options).flight.as_json()


def _cut(flight: dict[str, Any]) -> dict[str, str]:
    return {cut["ref"]: cut["why"] for cut in flight["cut"]}


def test_ranks_of_each_lane_and_of_the_fused_list(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Printer", content_text="The printer stands beside the kitchen.")
    save_page(title="Guests", content_text="Guests may stay for one day.")
    flight = _flight("printer kitchen")
    for lane in ("vector", "keyword"):
        assert flight["lanes"][lane][0]["ref"] == "printer#0" and flight["lanes"][lane][0]["rank"] == 1
    assert flight["fused"][0]["ref"] == "printer#0"
    assert flight["fused"][0]["score"] == pytest.approx(2 / 61, abs=1e-4)
    assert flight["walks"] == {"vector": "exact", "keyword": "spec"}


def test_what_was_cut_says_why(in_tenant: Tenant, llm: Any) -> None:
    html = "".join(f"<h2>Part {n}</h2><p>Locker number {n} is blue, a locker of steel.</p>" for n in range(5))
    save_page(title="Lockers", content_html=html)
    save_page(title="Shelf", content_text="One locker is beside the shelf.")
    save_page(title="Kiln", content_text="The kiln is hot on Mondays and cold on Sundays.")
    cut = _cut(_flight("locker", limit=3))
    assert sorted(why for ref, why in cut.items() if ref.startswith("lockers#")) == [
        "source_cap",
        "source_cap",
    ]
    assert cut["kiln#0"] == "floor"
    assert list(cut.values()).count("limit") == 1


def test_a_page_closed_while_the_model_reads_is_gone(
    committed_db: None, in_tenant: Tenant, llm: Any, database_url: str
) -> None:
    save_page(title="Printer", slug="printer", content_text="The printer stands beside the kitchen.")
    save_page(title="Plotter", slug="plotter", content_text="The printer for posters stands upstairs.")

    def close_and_score(_request: Any, _headers: Any) -> Reply:
        with psycopg.connect(database_url) as other:
            other.execute(
                "UPDATE knowledge_pages SET audience_tiers = ARRAY['mentor'] WHERE slug = 'printer'"
            )
        return says(json.dumps({"scores": {"1": 9, "2": 8}}))

    llm.answer_with(close_and_score, purpose="search_rerank")
    outcome = search_pages("printer", audience=MEMBER)
    assert [passage.slug for passage in outcome.passages] == ["plotter"]
    assert _cut(outcome.flight.as_json())["printer#0"] == "gone"


def test_a_lane_that_failed_is_told_from_one_that_found_nothing(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Printer", content_text="The printer stands beside the kitchen.")
    llm.embedding.replies.append(fails(503))
    assert _flight("zeppelin")["lanes"] == {"vector": None, "keyword": []}


def test_the_record_holds_references_and_no_text(in_tenant: Tenant, llm: Any) -> None:
    save_page(title="Secret plans", slug="plans", content_text="The treasure lies under the third oak.")
    written = json.dumps(_flight("treasure oak"))
    assert "plans#0" in written
    assert "treasure" not in written and "Secret" not in written
