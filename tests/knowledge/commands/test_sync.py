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
from tests.fakes.source_site import SourceSite, data

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
    assert "1 pages" in said("source", "delete", "handbook")
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
    assert said("sync", "handbook").startswith("queued (manual)")
    assert site.asked == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["sync", "nothing", "--wait"], "no source"),
        (["source", "add", "x", "--kind", "web_page"], "needs a url"),
        (["source", "add", "x", "--kind", "api_push", "--config", "["], "JSON object"),
        (["source", "delete", "nothing"], "no source"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(words: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        said(*words)
