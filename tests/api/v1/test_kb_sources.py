"""Sources over HTTP: made, shown without their secrets, changed, paused, synced, deleted."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.knowledge.models import KnowledgePage, KnowledgeSource
from apps.knowledge.sync.requests import QUEUE
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import registry, run_due
from apps.tenancy.models import Tenant
from tests.api.v1.knowledge_api import Answer, Api, api_of

PUSHED = {"source_key": "handbook", "name": "Handbook", "source_kind": "api_push"}
PULLED = {
    "source_key": "events",
    "name": "Events",
    "source_kind": "api_pull",
    "url": "https://api.harbour.example/events?all=1",
    "http_method": "POST",
    "request_headers": {"Accept-Language": "en"},
    "request_body": {"year": 2026, "odd": "a\x00b"},
    "auth_type": "basic",
    "auth_config": {"username": "root"},
    "secrets": {"password": "s3cret-word"},
    "mapping": {"documents_path": "$.data.items", "title_path": "name"},
    "schedule_interval_minutes": 60,
    "audience_tiers": ["mentor"],
}


@pytest.fixture
def api(committed_db: None, tenant: Tenant, llm: Any) -> Api:
    registry.autodiscover()
    return api_of(tenant)


def made(api: Api, body: dict[str, Any] = PUSHED) -> str:
    answer = api.post("/kb/sources", body)
    assert answer.status == 201, answer.body
    return str(answer.body["id"])


def push(api: Api, *texts: str, **options: Any) -> Answer:
    documents = [{"external_id": str(n), "title": f"Doc {n}", "content_text": t} for n, t in enumerate(texts)]
    return api.post(
        "/kb/sync",
        {"source": {"key": "handbook"}, "documents": documents, **({"options": options} if options else {})},
    )


def test_a_secret_comes_in_and_never_out(api: Api, tenant: Tenant) -> None:
    source = made(api, PULLED)
    shown = [api.get(f"/kb/sources/{source}"), api.get("/kb/sources")]
    shown.append(api.patch(f"/kb/sources/{source}", {"secrets": {"token": "another-word"}}))
    assert "s3cret-word" not in json.dumps([each.body for each in shown])
    assert "another-word" not in json.dumps([each.body for each in shown])
    assert shown[-1].body["secrets_set"] == ["token", "password"]
    assert shown[0].body["request_body"] == {"year": 2026, "odd": "ab"}
    with tenant_context(tenant):
        stored = KnowledgeSource.objects.get()
    assert stored.secrets == {"password": "s3cret-word", "token": "another-word"}


def test_changed_paused_and_resumed(api: Api) -> None:
    source = made(api, PULLED)
    changed = api.patch(f"/kb/sources/{source}", {"name": "Agenda", "status": "paused"})
    assert (changed.body["name"], changed.body["status"], changed.body["mapping"]) == (
        "Agenda",
        "paused",
        PULLED["mapping"],
    )
    assert api.post(f"/kb/sources/{source}/sync").code == "conflict"
    assert api.patch(f"/kb/sources/{source}", {"status": "active"}).body["status"] == "active"
    assert api.patch(f"/kb/sources/{source}", {}).status == 200


def test_what_does_not_go_together_changes_nothing(api: Api) -> None:
    source = made(api)
    refused = api.patch(
        f"/kb/sources/{source}", {"name": "B", "status": "paused", "url": "https://a.example"}
    )
    assert (refused.status, refused.code) == (409, "conflict")
    assert api.get(f"/kb/sources/{source}").body["name"] == "Handbook"
    assert api.post("/kb/sources", PUSHED).code == "conflict"


def test_asked_for_twice_one_run_waits(api: Api) -> None:
    source = made(api, PULLED)
    first, second = api.post(f"/kb/sources/{source}/sync"), api.post(f"/kb/sources/{source}/sync")
    assert (first.status, first.body["status"], first.body["trigger_type"]) == (202, "queued", "api")
    assert first.body["id"] == second.body["id"]
    assert api.post(f"/kb/sources/{made(api)}/sync").code == "conflict"


def test_pushed_listed_and_deleted_with_its_pages(api: Api, tenant: Tenant) -> None:
    source = made(api)
    for texts in (("One thing.", "Another."), ("One thing.", "Another now.")):
        assert push(api, *texts).status == 202
        with tenant_context(tenant):
            run_due(QUEUE)
    page = api.get(f"/kb/sources/{source}/runs?limit=1").body
    older = api.get(f"/kb/sources/{source}/runs?cursor={page['next_cursor']}").body
    [newest], [first] = page["items"], older["items"]
    assert (first["pages_created"], newest["pages_updated"], newest["pages_unchanged"]) == (2, 1, 1)
    assert "input_payload" not in newest and older["next_cursor"] is None
    assert api.delete(f"/kb/sources/{source}").body == {"pages_deleted": 2}
    with tenant_context(tenant):
        assert not KnowledgePage.objects.exists()


def test_a_bad_document_fails_alone(api: Api, tenant: Tenant) -> None:
    source = made(api)
    sent = [{"title": "Empty"}, {"title": "Good\x00", "content_text": "All is said.", "color": "a\x00"}]
    assert api.post("/kb/sync", {"source": {"key": "handbook"}, "documents": sent}).status == 202
    with tenant_context(tenant):
        run_due(QUEUE)
    [run] = api.get(f"/kb/sources/{source}/runs").body["items"]
    assert (run["status"], run["documents_received"], run["pages_created"]) == ("succeeded", 2, 1)


def test_lists_cost_the_same_however_long(api: Api) -> None:
    def cost(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api.get(path).status == 200
        return len(queries)

    source = made(api)
    push(api, "One thing.")
    before = [cost("/kb/sources"), cost(f"/kb/sources/{source}/runs")]
    for number in range(3):
        made(api, {**PUSHED, "source_key": f"more-{number}"})
        push(api, "Another.")
    assert [cost("/kb/sources"), cost(f"/kb/sources/{source}/runs")] == before


BAD_SOURCES = [
    {},
    {**PUSHED, "source_key": "Hand book"},
    {**PUSHED, "source_kind": "ftp"},
    {**PUSHED, "url": "https://a.example"},
    {**PUSHED, "http_method": "POST"},
    {**PUSHED, "status": "paused"},
    {**PUSHED, "name": ""},
    {**PUSHED, "kind": "api_push"},
    {**PUSHED, "auth_type": "bearer"},
    {**PUSHED, "source_kind": "web_page"},
    {**PUSHED, "source_kind": "webhook", "url": "https://a.example"},
    {**PULLED, "url": "file:///etc/passwd"},
    {**PULLED, "url": "https://me:word@a.example"},
    {**PULLED, "auth_config": {}},
    {**PULLED, "secrets": {"password": "two\nlines"}},
    {**PULLED, "secrets": {"pasword": "x"}},
    {**PULLED, "request_headers": {"Authorization": "Bearer x"}},
    {**PULLED, "request_headers": {"Bad header": "x"}},
    {**PULLED, "mapping": {"documents_path": "$..a..b"}},
    {**PULLED, "mapping": {"color_path": "a"}},
    {**PULLED, "schedule_interval_minutes": "60"},
    {**PULLED, "schedule_interval_minutes": 0},
]


@pytest.mark.parametrize("body", BAD_SOURCES, ids=range(len(BAD_SOURCES)))
def test_sources_that_do_not_fit_are_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/kb/sources", body).code == "bad_input"
    assert api.get("/kb/sources").body["items"] == []


BAD_PUSHES = [
    {},
    {"source": {"key": "handbook"}},
    {"source": "handbook", "documents": []},
    {"source": {"key": "handbook"}, "documents": {}},
    {"source": {"key": "handbook"}, "documents": ["text"]},
    {"source": {"key": "handbook"}, "documents": [{"title": 7}]},
    {"source": {"key": "handbook"}, "documents": [{"title": "A"}] * 251},
    {"source": {"key": "handbook"}, "documents": [], "options": {"replace": True}},
]


@pytest.mark.parametrize("body", BAD_PUSHES, ids=range(len(BAD_PUSHES)))
def test_pushes_that_do_not_fit_are_refused(api: Api, body: dict[str, Any]) -> None:
    source = made(api)
    assert api.post("/kb/sync", body).code == "bad_input"
    assert api.get(f"/kb/sources/{source}/runs").body["items"] == []


def test_pushing_to_no_source_or_to_one_that_is_fetched(api: Api) -> None:
    assert push(api, "x").code == "not_found"
    made(api, {**PULLED, "source_key": "handbook"})
    assert push(api, "x").code == "conflict"


def test_large_pushes_are_taken_and_larger_ones_are_not(api: Api) -> None:
    made(api)
    assert push(api, "word " * 400_000).status == 202
    assert api.ask("POST", "/kb/sync", raw=b" " * (10 * 1024 * 1024 + 1)).code == "too_large"


def test_of_another_community_nothing_is_there(api: Api, other_tenant: Tenant) -> None:
    source, other = made(api), api_of(other_tenant)
    for path, methods in (("", "GET DELETE"), ("/runs", "GET"), ("/sync", "POST")):
        for named in (source, uuid4()):
            for method in methods.split():
                assert other.ask(method, f"/kb/sources/{named}{path}").code == "not_found"
    assert other.patch(f"/kb/sources/{source}", {"name": "Theirs"}).code == "not_found"
    assert push(other, "Theirs.").code == "not_found"
    assert other.get("/kb/sources").body["items"] == []
    assert api.get(f"/kb/sources/{source}").body["name"] == "Handbook"


def test_a_name_that_is_no_id_is_not_there(api: Api) -> None:
    assert api.get("/kb/sources/handbook").code == "not_found"
