"""Pages over HTTP: created, changed, listed, read, deleted."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.knowledge.models import KnowledgePage, KnowledgeTrash
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.api.v1.knowledge_api import Api, api_of

TEXT = "The house is open from nine to six, on Sundays from ten."
PAGE = {"title": "Opening hours", "content_text": TEXT}


@pytest.fixture
def api(committed_db: None, tenant: Tenant, llm: Any) -> Api:
    return api_of(tenant)


def test_created_then_changed_under_its_slug(api: Api) -> None:
    made = api.post("/kb/pages", {**PAGE, "author_name": "Ada", "audience_tiers": ["mentor"]})
    assert (made.status, made.body["slug"], made.body["content_text"]) == (201, "opening-hours", TEXT)
    again = api.post(
        "/kb/pages", {**PAGE, "slug": "opening-hours", "is_public": True, "audience_tiers": None}
    )
    assert (again.status, again.body["id"]) == (200, made.body["id"])
    # What is not named stays; null empties.
    assert (again.body["author_name"], again.body["is_public"], again.body["audience_tiers"]) == (
        "Ada",
        True,
        None,
    )
    other = api.post("/kb/pages", PAGE)
    assert (other.status, other.body["slug"]) == (201, "opening-hours-2")


def test_html_is_sanitised(api: Api) -> None:
    made = api.post(
        "/kb/pages", {"title": "A", "content_html": "<p onclick=x>Hi <script>y</script>there</p>"}
    )
    assert made.body["content_html"] == "<p>Hi there</p>"


def test_listed_by_filters_and_page_by_page(api: Api) -> None:
    for number in range(5):
        sent = {**PAGE, "slug": f"p-{number}", "author_member_id": "p-ada" if number % 2 else "p-mo"}
        api.post("/kb/pages", {**sent, "source_type": "faq" if number < 3 else "manual"})
    first = api.get("/kb/pages?limit=2").body
    rest = api.get(f"/kb/pages?limit=100&cursor={first['next_cursor']}").body
    slugs = [page["slug"] for page in first["items"] + rest["items"]]
    assert (slugs, rest["next_cursor"]) == (["p-4", "p-3", "p-2", "p-1", "p-0"], None)
    assert "content_html" not in first["items"][0]
    found = api.get("/kb/pages?source_type=faq&author_member_id=p-mo").body["items"]
    assert [page["slug"] for page in found] == ["p-2", "p-0"]


def test_a_list_costs_the_same_however_long(api: Api) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api.get("/kb/pages").status == 200
        return len(queries)

    api.post("/kb/pages", {**PAGE, "slug": "one"})
    one = cost()
    for number in range(4):
        api.post("/kb/pages", {**PAGE, "slug": f"more-{number}"})
    assert cost() == one


def test_read_and_deleted(api: Api, tenant: Tenant) -> None:
    api.post("/kb/pages", {**PAGE, "slug": "hours"})
    assert api.get("/kb/pages/hours").body["content_text"] == TEXT
    assert api.delete("/kb/pages/hours").status == 204
    assert [api.get("/kb/pages/hours").status, api.delete("/kb/pages/hours").status] == [404, 404]
    with tenant_context(tenant):
        assert KnowledgeTrash.objects.get().deleted_by == "key crm"


def test_of_another_community_nothing_is_there(api: Api, other_tenant: Tenant) -> None:
    api.post("/kb/pages", {**PAGE, "slug": "hours"})
    other = api_of(other_tenant)
    assert [other.get("/kb/pages/hours").code, other.delete("/kb/pages/hours").code] == ["not_found"] * 2
    assert other.get("/kb/pages").body["items"] == []
    made = other.post("/kb/pages", {**PAGE, "slug": "hours", "title": "Theirs"})
    assert (made.status, api.get("/kb/pages/hours").body["title"]) == (201, "Opening hours")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"title": "A"},
        {"title": "A", "content_text": None},
        {"title": "A", "content_html": "<p></p>"},
        {"title": " ", "content_text": "x"},
        {"title": "A\x00", "content_text": "x"},
        {**PAGE, "slug": "Not A Slug"},
        {**PAGE, "source_url": "javascript:alert(1)"},
        {**PAGE, "knowledge_date": 20260101},
        {**PAGE, "knowledge_date": "2026-02-30"},
        {**PAGE, "is_public": "yes"},
        {**PAGE, "is_public": None},
        {**PAGE, "audience_tiers": "mentor"},
        {**PAGE, "titel": "x"},
        [PAGE],
    ],
)
def test_what_does_not_fit_is_refused(api: Api, tenant: Tenant, body: Any) -> None:
    answer = api.post("/kb/pages", body)
    assert (answer.status, answer.code) == (400, "bad_input")
    with tenant_context(tenant):
        assert not KnowledgePage.objects.exists()


@pytest.mark.parametrize("raw", [b"", b"{", b'{"title": "\\ud800", "content_text": "x"}', b"[" * 5000])
def test_what_is_no_json_is_refused(api: Api, raw: bytes) -> None:
    assert api.ask("POST", "/kb/pages", raw=raw).code == "bad_input"


def test_what_is_far_too_long_is_refused(api: Api) -> None:
    assert api.ask("POST", "/kb/pages", raw=b" " * (10 * 1024 * 1024 + 1)).status == 413


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "cursor=x", "source_type=A%20b", "color=red", "limit=1&limit=2"],
)
def test_odd_parameters_are_refused(api: Api, query: str) -> None:
    assert api.get(f"/kb/pages?{query}").code == "bad_input"


@pytest.mark.parametrize("slug", ["%00", "%ED%A0%80", "A%20B", "x" * 3000])
def test_odd_slugs_are_not_there(api: Api, slug: str) -> None:
    assert [api.get(f"/kb/pages/{slug}").status, api.delete(f"/kb/pages/{slug}").status] == [404, 404]
