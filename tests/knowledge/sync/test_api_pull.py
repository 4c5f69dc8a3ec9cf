"""Documents pulled from a tenant's API: credentials, modes, mapping, limits (contract §11.1, KNW-03)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from apps.knowledge.models import KnowledgePage, KnowledgeSource
from tests.fakes.source_site import Answer, SourceSite, data, page
from tests.knowledge.sync.conftest import counters, document, sync, the_page

pytestmark = pytest.mark.django_db
Make = Callable[..., KnowledgeSource]
NESTED = {
    "data": {
        "entries": [
            {
                "key": 7,
                "head": {"line": "Tides"},
                "body": {"html": "<p>High water is at <b>6:40</b> in the inner basin.</p>"},
                "by": [{"name": "Ana"}],
                "at": "2026-03-31T10:00:00Z",
                "links": {"self": "https://ex.org/tides"},
                "path": "tides-today",
                "live": True,
            },
            {
                "key": 8,
                "head": {"line": "Draft"},
                "body": {"html": "<p>Not yet for anybody's eyes.</p>"},
                "live": False,
            },
        ]
    }
}
PATHS = {
    "documents_path": "$.data.entries[?(@.live==true)]",
    "external_id_path": "$.key",
    "slug_path": "path",
    "title_path": "$.head.line",
    "content_html_path": "$.body.html",
    "source_url_path": "links.self",
    "author_name_path": "$.by[0].name",
    "knowledge_date_path": "at",
}


def test_mapping(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/api"] = data(NESTED)
    run = sync(make("api_pull", url=site.url("/api"), mapping=PATHS))
    assert (run.status, run.http_status, counters(run)) == ("succeeded", 200, (1, 0, 0, 0))
    stored = the_page()
    assert (stored.external_id, stored.slug, stored.title) == ("7", "tides-today", "Tides")
    assert (stored.author_name, stored.knowledge_date) == ("Ana", date(2026, 3, 31))
    assert (stored.source_url, stored.source_type) == ("https://ex.org/tides", "api")
    assert "6:40" in stored.content_text


CREDENTIALS: dict[str, tuple[dict[str, Any], str, str]] = {
    "bearer": ({"auth_type": "bearer", "secrets": {"token": "t-1"}}, "authorization", "Bearer t-1"),
    "basic": (
        {"auth_type": "basic", "auth_config": {"username": "ana"}, "secrets": {"password": "pä:ss"}},
        "authorization",
        "Basic " + base64.b64encode("ana:pä:ss".encode()).decode(),
    ),
    "api_key": ({"auth_type": "api_key", "secrets": {"token": "k-1"}}, "x-api-key", "k-1"),
    "named key": (
        {"auth_type": "api_key", "auth_config": {"header_name": "X-Harbour"}, "secrets": {"token": "k"}},
        "x-harbour",
        "k",
    ),
}


@pytest.mark.parametrize(("fields", "header", "value"), CREDENTIALS.values(), ids=CREDENTIALS)
def test_credentials(
    make: Make, site: SourceSite, llm: Any, fields: dict[str, Any], header: str, value: str
) -> None:
    site.answers["/api"] = data([document(1)])
    assert sync(make("api_pull", url=site.url("/api"), **fields)).status == "succeeded"
    assert site.asked[0].headers[header] == value


def test_credentials_do_not_follow_to_another_host(make: Make, site: SourceSite, llm: Any) -> None:
    with SourceSite() as other:
        other.answers["/api"] = data([document(1)])
        site.answers["/api"] = Answer(status=302, headers={"location": other.url("/api")})
        sync(make("api_pull", url=site.url("/api"), auth_type="bearer", secrets={"token": "t-1"}))
        assert "authorization" not in other.asked[0].headers


def test_post_with_a_body_and_headers(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/api"] = data({"items": [document(1)]})
    source = make(
        "api_pull",
        url=site.url("/api"),
        http_method="POST",
        request_body={"query": "{ pages }"},
        request_headers={"X-Page-Size": "50"},
    )
    assert sync(source).status == "succeeded"
    asked = site.asked[0]
    assert (asked.method, asked.json, asked.headers["x-page-size"]) == ("POST", {"query": "{ pages }"}, "50")
    assert asked.headers["content-type"] == "application/json"


MODES: dict[str, tuple[str, Answer, str]] = {
    "auto json": (
        "auto",
        data([document(1, "The first rule of the pier is to mind the ropes.")]),
        "mind the ropes",
    ),
    "json called text": (
        "json",
        Answer(body=b'\xef\xbb\xbf[{"id":1,"title":"A","text":"Mind the ropes of the pier at night."}]'),
        "Mind the ropes",
    ),
    "html": (
        "html",
        page("<h1>Ropes</h1><p>Mind the ropes of the pier, above all at night when the tide runs out.</p>"),
        "Mind the ropes",
    ),
    "text": (
        "text",
        Answer(body=b"Mind the <ropes> of the pier, above all at night when the tide runs out."),
        "Mind the <ropes>",
    ),
}


@pytest.mark.parametrize(("mode", "answer", "said"), MODES.values(), ids=MODES)
def test_response_modes(make: Make, site: SourceSite, llm: Any, mode: str, answer: Answer, said: str) -> None:
    site.answers["/api"] = answer
    source = make("api_pull", url=site.url("/api"), response_mode=mode)
    run = sync(source)
    assert (run.status, run.error) == ("succeeded", None)
    assert said in the_page().content_text
    assert counters(sync(source)) == (0, 0, 1, 0)


ABSENT: dict[str, tuple[Answer, str]] = {
    "empty list": (data({"documents": []}), "succeeded"),
    "unmatched path": (data({"other": 1}), "failed"),
    "a page": (page("<!doctype html><html><body>maintenance</body></html>"), "failed"),
    "not JSON": (Answer(body=b"{oops"), "failed"),
    "251": (data({"documents": [document(n) for n in range(251)]}), "failed"),
    "nothing": (Answer(status=204), "failed"),
    "gone": (data({"error": "gone"}, status=410), "failed"),
}


@pytest.mark.parametrize(("answer", "status"), ABSENT.values(), ids=ABSENT)
def test_no_bad_answer_deletes_anything(
    make: Make, site: SourceSite, llm: Any, answer: Answer, status: str
) -> None:
    site.answers["/api"] = data({"documents": [document(n) for n in range(1, 11)]})
    source = make(
        "api_pull",
        url=site.url("/api"),
        mapping={"documents_path": "$.documents"},
        replace_missing=True,
        response_mode="json",
    )
    assert sync(source).pages_created == 10
    site.answers["/api"] = answer
    run = sync(source)
    assert (run.status, run.pages_deleted) == (status, 0)
    assert KnowledgePage.objects.count() == 10
    site.answers["/api"] = data({"documents": [document(n) for n in range(1, 10)]})
    assert sync(source).pages_deleted == 1


def test_a_document_that_the_model_could_not_clean_is_not_gone(
    make: Make, site: SourceSite, llm: Any
) -> None:
    from tests.fakes.llm import Reply, fails, says

    def clean(body: dict[str, Any], _: object) -> Reply:
        shown = body["messages"][1]["content"]
        if "Rule 9" in shown:
            return fails(402, "cannot")
        return says(shown.partition("BEGIN DOCUMENT\n")[2].partition("\nEND")[0])

    site.answers["/api"] = data([document(n) for n in range(1, 11)])
    source = make("api_pull", url=site.url("/api"), replace_missing=True)
    assert sync(source).pages_created == 10
    llm.answer_with(clean, purpose="knowledge.cleanup")
    site.answers["/api"] = data([document(n) for n in range(1, 10)])
    run = sync(source, ai_cleanup=True)
    assert (run.status, run.pages_deleted, run.ai_cleaned) == ("failed", 0, 8)
    assert KnowledgePage.objects.count() == 10
