"""Searching and linking over HTTP: as somebody, or as any member."""

from __future__ import annotations

from typing import Any

import pytest

from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.principals import PersonFacts, upsert
from apps.tenancy.tiers import UNRESOLVED
from tests.api.v1.knowledge_api import Api, api_of
from tests.fakes.llm import says

SITE = "https://root.example"


@pytest.fixture
def api(committed_db: None, tenant: Tenant, llm: Any, settings: Any) -> Api:
    settings.ENV = settings.ENV.model_copy(update={"search_llm_rerank": False, "platform_base_url": SITE})
    with tenant_context(tenant):
        upsert(PersonFacts(ref="p-mo", tier="mentor"))
        upsert(PersonFacts(ref="p-gone", tier=UNRESOLVED))
    api = api_of(tenant)
    kinds: dict[str, dict[str, Any]] = {
        "hours": {"is_public": True},
        "pier": {"source_type": "faq"},
        "safe": {"audience_tiers": ["mentor"]},
    }
    for slug, fields in kinds.items():
        text = f"The {slug} of the lighthouse are told here."
        assert (
            api.post("/kb/pages", {"title": slug, "slug": slug, "content_text": text, **fields}).status == 201
        )
    return api


def slugs(api: Api, **asked: Any) -> set[str]:
    answer = api.post("/kb/search", {"query": "lighthouse", **asked})
    assert answer.status == 200, answer.body
    return {each["slug"] for each in answer.body["results"]}


def test_found_with_how_it_went(api: Api) -> None:
    answer = api.post("/kb/search", {"query": "the pier of the lighthouse", "limit": 1})
    [passage] = answer.body.pop("results")
    assert answer.body == {"status": "found", "degraded": [], "ranking": "fused", "dropped": 1}
    assert (passage["slug"], passage["source_type"], passage["neighbors"]) == ("pier", "faq", [])


def test_each_sees_their_own(api: Api) -> None:
    assert slugs(api) == {"hours", "pier"}
    assert slugs(api, principal_ref="p-mo") == {"hours", "pier", "safe"}
    assert slugs(api, principal_ref="p-mo", source_types=["faq"]) == {"pier"}
    assert slugs(api, source_types=[]) == set()
    assert api.post("/kb/search", {"query": "x", "principal_ref": "p-nobody"}).code == "not_found"
    assert api.post("/kb/search", {"query": "x", "principal_ref": "p-gone"}).code == "forbidden"


def test_reranked_as_searches_are_by_default(api: Api, llm: Any, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"search_llm_rerank": True})
    scores = '{"scores": [{"id": "1", "score": 2}, {"id": "2", "score": 9}]}'
    llm.answer_with(lambda _body, _request: says(scores))
    assert api.post("/kb/search", {"query": "lighthouse"}).body["ranking"] == "reranked"


def test_half_a_search_says_so(api: Api, llm: Any) -> None:
    llm.embedding.refuses = lambda _: True
    answer = api.post("/kb/search", {"query": "lighthouse"})
    assert (answer.body["status"], answer.body["degraded"]) == ("partial", ["vector"])
    assert {each["slug"] for each in answer.body["results"]} == {"hours", "pier"}


def test_nothing_of_another_community(api: Api, other_tenant: Tenant) -> None:
    other = api_of(other_tenant)
    assert other.post("/kb/search", {"query": "lighthouse"}).body["status"] == "empty"
    assert other.post("/kb/search", {"query": "x", "principal_ref": "p-mo"}).code == "not_found"
    assert other.post("/kb/link", {"identifier": "hours"}).code == "not_found"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "a\x00"},
        {"query": "x" * 2001},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 51},
        {"query": "x", "limit": "5"},
        {"query": "x", "source_types": "faq"},
        {"query": "x", "source_types": ["No Type"]},
        {"query": "x", "principal_ref": ""},
        {"query": "x", "rerank": False},
    ],
)
def test_what_does_not_fit_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/kb/search", body).code == "bad_input"


def test_a_public_page_has_a_plain_address(api: Api) -> None:
    public_id = api.get("/kb/pages/hours").body["public_id"]
    bare = f"{SITE}/kb/harbour/{public_id}"
    for named in ("hours", public_id, bare):
        answer = api.post("/kb/link", {"identifier": named})
        assert (answer.status, answer.body["url"], answer.body["access"]) == (200, bare, "public")
        assert answer.body["expires_at"] is None


def test_a_private_page_opens_for_one_person_alone(api: Api) -> None:
    one, two = (api.post("/kb/link", {"identifier": "safe", "principal_ref": "p-mo"}).body for _ in range(2))
    assert one["access"] == "personal" and one["expires_at"] and "?token=" in one["url"]
    assert one["url"] != two["url"]
    assert api.post("/kb/link", {"identifier": "safe"}).code == "forbidden"
    assert api.post("/kb/link", {"identifier": "pier", "principal_ref": "p-gone"}).code == "not_found"
    assert api.post("/kb/link", {"identifier": "safe", "principal_ref": "p-nobody"}).code == "not_found"
    assert api.post("/kb/link", {"identifier": "nothing", "principal_ref": "p-mo"}).code == "not_found"


@pytest.mark.parametrize("body", [{}, {"identifier": ""}, {"identifier": "a\x00"}, {"slug": "hours"}])
def test_links_that_do_not_fit_are_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/kb/link", body).code == "bad_input"
