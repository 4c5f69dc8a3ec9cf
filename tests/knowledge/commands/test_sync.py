"""``manage.py source`` and ``manage.py sync``: what they say and what they do (contract §11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.knowledge.models import KnowledgePage, KnowledgeSource
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.source_site import Answer, SourceSite, data

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tenant", "llm")]
DOCUMENT = {"external_id": 1, "title": "Gate", "content_text": "The gate is open from seven to ten."}


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as running:
        running.answers["/api"] = data([DOCUMENT])
        yield running


def said(*words: str) -> str:
    out = StringIO()
    call_command(*words, "--tenant", "harbour", stdout=out)
    return out.getvalue().strip()


def test_a_source_from_beginning_to_end(tenant: Tenant, site: SourceSite) -> None:
    secrets = json.dumps({"token": "s3cret"})
    config = json.dumps({"auth_type": "bearer", "name": "Handbook"})
    added = said(
        *("source", "add", "handbook", "--kind", "api_pull", "--url", site.url("/api")),
        *("--every", "60", "--config", config, "--secrets", secrets),
    )
    assert added.startswith("Added handbook (api_pull)")
    assert said("sync", "handbook", "--wait").startswith(
        "succeeded (manual): documents received 1, pages created 1"
    )
    told = json.loads(said("sync", "handbook", "--wait", "--json", "--trigger", "webhook"))
    assert (told["status"], told["trigger_type"], told["pages_unchanged"]) == ("succeeded", "webhook", 1)
    assert "every 60 min" in said("source", "list")
    assert "s3cret" not in said("source", "list") + said("source", "list", "--json")
    said("source", "pause", "handbook")
    with pytest.raises(CommandError, match="paused"):
        said("sync", "handbook", "--wait")
    said("source", "resume", "handbook")
    listed = said("source", "runs", "handbook").splitlines()
    assert len(listed) == 2 and "webhook  succeeded  received 1 created 0" in listed[0]
    assert [run["trigger_type"] for run in json.loads(said("source", "runs", "handbook", "--json"))] == [
        "webhook",
        "manual",
    ]
    assert "1 page of it" in said("source", "delete", "handbook")
    with tenant_context(tenant):
        assert not KnowledgeSource.objects.exists()
        assert not KnowledgePage.objects.exists()
    assert said("source", "list") == "There are no sources yet."


def test_documents_from_a_file(tmp_path: Path) -> None:
    said("source", "add", "pushed", "--kind", "api_push")
    path = tmp_path / "documents.json"
    path.write_text(json.dumps({"documents": [DOCUMENT], "options": {"replace_missing": True}}))
    assert "pages created 1" in said("sync", "pushed", "--wait", "--documents", str(path))
    path.write_text(json.dumps([DOCUMENT]))
    assert "pages unchanged 1" in said("sync", "pushed", "--wait", "--documents", str(path))
    path.write_text("{oops")
    with pytest.raises(CommandError, match="not valid JSON"):
        said("sync", "pushed", "--wait", "--documents", str(path))
    with pytest.raises(CommandError, match="--documents"):
        said("sync", "pushed", "--wait")


def test_a_failed_run_is_a_failed_command(site: SourceSite) -> None:
    said("source", "add", "gone", "--kind", "web_page", "--url", site.url("/gone"))
    with pytest.raises(CommandError, match="404"):
        said("sync", "gone", "--wait")


def test_without_wait_it_is_only_asked_for(site: SourceSite) -> None:
    said("source", "add", "handbook", "--kind", "api_pull", "--url", site.url("/api"))
    assert said("source", "runs", "handbook") == "It was never synced."
    assert said("sync", "handbook").startswith("queued (manual): a worker will sync it")
    assert site.asked == []


def test_a_backend_that_will_push_is_told_apart_from_one_that_delivered(site: SourceSite) -> None:
    site.answers["/hook"] = Answer(status=202)
    secrets = json.dumps({"webhook_signing_secret": "whs-1"})
    said("source", "add", "hook", "--kind", "webhook", "--url", site.url("/hook"), "--secrets", secrets)
    assert said("sync", "hook", "--wait").startswith("triggered (manual): the source was asked")


SENTENCES: list[tuple[dict[str, str], Answer, str]] = [
    ({"--kind": "web_page"}, Answer(status=401), "wants a sign-in"),
    ({"--kind": "web_page"}, Answer(status=403), "does not let Root in"),
    ({"--kind": "web_page"}, Answer(status=429), "fewer calls"),
    ({"--kind": "web_page"}, Answer(status=503), "503: it failed"),
    ({"--kind": "web_page"}, Answer(), "empty page"),
    ({"--kind": "web_page"}, Answer(body=b"%PDF-1.7"), "PDF file"),
    ({"--kind": "api_pull"}, Answer(), "answered with nothing"),
    (
        {"--kind": "api_pull", "--config": '{"response_mode": "json"}'},
        Answer(body=b"{oops"),
        "not valid JSON",
    ),
    (
        {"--kind": "api_pull", "--config": '{"mapping": {"documents_path": "$.pages"}}'},
        data({"items": []}),
        r"documents_path \(\$\.pages\) finds nothing",
    ),
    (
        {"--kind": "api_pull"},
        data([{"id": 7, "title": "Empty"}]),
        "1 of 1 documents could not be stored.* 7: it has neither",
    ),
]


@pytest.mark.parametrize(("given", "answer", "why"), SENTENCES, ids=[why for _, _, why in SENTENCES])
def test_each_failure_says_why(site: SourceSite, given: dict[str, str], answer: Answer, why: str) -> None:
    site.answers["/api"] = answer
    words = [word for pair in given.items() for word in pair]
    said("source", "add", "handbook", "--url", site.url("/api"), *words)
    with pytest.raises(CommandError, match=why):
        said("sync", "handbook", "--wait")
    assert "1 failure:" in said("source", "list")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/", "could not be reached"),
        ("http://no-such-host.invalid/", "name of the host is not known"),
    ],
)
def test_an_address_nobody_answers_at(url: str, why: str) -> None:
    said("source", "add", "handbook", "--kind", "web_page", "--url", url)
    with pytest.raises(CommandError, match=why):
        said("sync", "handbook", "--wait")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["sync", "nothing", "--wait"], "no source"),
        (["source", "add", "x", "--kind", "web_page"], "needs a url"),
        (["source", "add", "x", "--kind", "api_push", "--config", "["], "JSON object"),
        (["source", "delete", "nothing"], "no source"),
        (["source", "runs", "nothing"], "no source"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(words: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        said(*words)
