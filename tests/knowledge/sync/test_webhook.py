"""Asking a tenant's backend to deliver (contract §7.1, §11.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.foundation.signing import verify
from apps.knowledge.models import KnowledgeSource
from tests.fakes.source_site import Answer, SourceSite, data
from tests.knowledge.sync.conftest import counters, document, push, sync, the_page

pytestmark = pytest.mark.django_db
SECRET = "whs-1"


@pytest.fixture
def source(make: Callable[..., KnowledgeSource], site: SourceSite, llm: Any) -> KnowledgeSource:
    return make("webhook", url=site.url("/hook"), secrets={"webhook_signing_secret": SECRET})


LATER: dict[str, Answer] = {
    "202": data({"documents": [document(1)]}, status=202),
    "204": Answer(status=204),
    "empty 200": Answer(status=200),
    "ok": Answer(body=b"ok"),
    "accepted": data({"accepted": True}),
    "ok, called JSON": Answer(body=b"OK", headers={"content-type": "application/json"}),
}


@pytest.mark.parametrize("answer", LATER.values(), ids=LATER)
def test_a_signed_request_is_all_there_is_to_it(
    source: KnowledgeSource, site: SourceSite, answer: Answer, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"platform_base_url": "https://root.example"})
    site.answers["/hook"] = answer
    run = sync(source)
    assert (run.status, run.http_status, counters(run)) == ("triggered", answer.status, (0, 0, 0, 0))
    (asked,) = site.asked
    assert verify(
        SECRET,
        timestamp=asked.headers["x-root-timestamp"],
        signature=asked.headers["x-root-signature"],
        body=asked.body,
    )
    told = asked.json
    assert (told["event"], told["run_id"]) == ("knowledge.sync.requested", str(run.pk))
    assert told["source"]["key"] == "handbook"
    assert told["callback"]["url"] == "https://root.example/api/v1/kb/sync"


def test_documents_in_the_answer_are_stored_at_once(source: KnowledgeSource, site: SourceSite) -> None:
    site.answers["/hook"] = data({"documents": [document(1)]})
    run = sync(source)
    assert (run.status, counters(run)) == ("succeeded", (1, 0, 0, 0))
    assert the_page().source_type == "webhook"


@pytest.mark.parametrize("secret", ["", " "])
def test_no_request_leaves_unsigned(source: KnowledgeSource, site: SourceSite, secret: str) -> None:
    KnowledgeSource.objects.filter(pk=source.pk).update(secrets={"webhook_signing_secret": secret})
    run = sync(source)
    assert (run.status, "webhook_signing_secret" in (run.error or ""), site.asked) == ("failed", True, [])


def test_a_delivery_that_breaks_off_is_no_promise_to_deliver(
    source: KnowledgeSource, site: SourceSite
) -> None:
    site.answers["/hook"] = Answer(
        body=b'{"documents": [{"id": 1', headers={"content-type": "application/json"}
    )
    run = sync(source)
    assert (run.status, "not valid JSON" in (run.error or "")) == ("failed", True)


def test_a_webhook_is_never_sent_on_to_another_address(source: KnowledgeSource, site: SourceSite) -> None:
    site.answers["/hook"] = Answer(status=307, headers={"location": site.url("/other")})
    run = sync(source)
    assert (run.status, run.http_status, len(site.asked)) == ("failed", 307, 1)
    assert "redirects" in (run.error or "")


def test_the_push_that_follows_belongs_to_the_same_source(source: KnowledgeSource, site: SourceSite) -> None:
    site.answers["/hook"] = Answer(status=202)
    sync(source)
    run = push([document(1)])
    assert (run.status, run.trigger_type, the_page().source_type) == ("succeeded", "api", "webhook")


def test_a_trigger_ends_a_row_of_failures(source: KnowledgeSource, site: SourceSite) -> None:
    for _ in range(3):
        sync(source)
    source.refresh_from_db()
    assert source.status == "error"
    site.answers["/hook"] = Answer(status=204)
    sync(source)
    source.refresh_from_db()
    assert (source.status, source.consecutive_failures) == ("active", 0)
