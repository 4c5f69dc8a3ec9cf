"""Answers made to hang, mislead or break a sync: each ends in a page or a sentence (contract §11.1, §11.2)."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from apps.foundation.http import HttpReply
from apps.knowledge.models import KnowledgePage, KnowledgeSource
from apps.knowledge.sync import calling
from apps.knowledge.sync.decoding import as_text, looks_like_html, mode_of
from apps.knowledge.sync.steady import steady
from tests.fakes.source_site import Answer, SourceSite, data, page
from tests.knowledge.sync.conftest import counters, document, sync, the_page

Make = Callable[..., KnowledgeSource]
TEXT = "Täglich außer sonntags von sieben bis zehn Uhr, Gebühr fünf Euro, Schlüssel beim Wärter von Steg 7."
MAINTENANCE = page(
    "<!doctype html><title>Harbour</title><p>Our data service rests for a while tonight. Everything comes back in the"
    " morning, and until then the office answers all questions by telephone.</p>"
)


def reply(body: bytes, kind: str = "text/html") -> HttpReply:
    return HttpReply(status=200, headers={"content-type": kind}, body=body, url="http://site.example/")


@pytest.mark.parametrize(
    ("declared", "encoded"),
    [
        ("utf-8", "utf-8"),
        ("iso-8859-1", "latin-1"),
        ("iso-8859-1", "utf-8"),
        ("windows-1252", "cp1252"),
        ("us-ascii", "utf-8"),
        ("utf-8", "cp1252"),
        ("utf-16", "utf-16"),
        ("iso-8859-15", "iso-8859-15"),
        ("no-such-set", "utf-8"),
        ("undefined", "utf-8"),
        ("idna", "utf-8"),
        ("punycode", "utf-8"),
        ("unicode_escape", "utf-8"),
        ("utf-7", "utf-8"),
        ("hex", "utf-8"),
        ("rot13", "utf-8"),
    ],
)
def test_whatever_an_answer_says_it_is_written_in(declared: str, encoded: str) -> None:
    assert as_text(reply(TEXT.encode(encoded), f"text/html; charset={declared}")) == TEXT


def test_a_page_is_told_by_its_first_tag_however_much_stands_before_it() -> None:
    assert looks_like_html(b"\xef\xbb\xbf<!-- a --> <!-- b --><!DOCTYPE html><p>x")
    assert mode_of(reply(b'<?xml version="1.0"?>\n<html xmlns="x">', ""), wanted="auto") == "html"
    assert not looks_like_html(b"<!---->" * 580 + b"no page")
    assert not looks_like_html(b"<!-- never ends" + b" -" * 2_000)


@pytest.mark.parametrize("space", [" ", "\u2003", "\t", "\n"])
def test_long_runs_of_space_cost_nothing(space: str) -> None:
    run = space * 300_000
    assert len(steady(f"<p>token{run}x</p><p>a{run}b</p>")) < 100


@pytest.mark.django_db
@pytest.mark.parametrize("answer", [MAINTENANCE, Answer(body=TEXT.encode() * 3)], ids=["a page", "text"])
@pytest.mark.parametrize("mapped", [True, False])
def test_a_page_in_place_of_json_deletes_nothing(
    make: Make, site: SourceSite, llm: Any, answer: Answer, mapped: bool
) -> None:
    site.answers["/api"] = data({"documents": [document(number) for number in range(1, 11)]})
    mapping = {"documents_path": "$.documents"} if mapped else {}
    source = make("api_pull", url=site.url("/api"), replace_missing=True, mapping=mapping)
    assert sync(source).pages_created == 10
    site.answers["/api"] = answer
    run = sync(source)
    assert (run.status, counters(run)) == ("failed", (0, 0, 0, 0))
    assert "response_mode" in (run.error or "")
    assert KnowledgePage.objects.count() == 10


@pytest.mark.django_db
def test_an_answer_beyond_the_limit_is_refused(
    make: Make, site: SourceSite, llm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "MAX_BYTES", 100_000)
    source = make("api_pull", url=site.url("/api"))
    site.answers["/api"] = Answer(body=b"x" * 200_000)
    assert "larger than" in (sync(source).error or "")
    squeezed = gzip.compress(b"x" * 50_000_000)
    site.answers["/api"] = Answer(body=squeezed, headers={"content-encoding": "gzip"})
    assert "larger than" in (sync(source).error or "")


@pytest.mark.django_db
def test_json_that_is_no_document_becomes_a_sentence(make: Make, site: SourceSite, llm: Any) -> None:
    source = make("api_pull", url=site.url("/api"), response_mode="json")
    for body in (b"[" * 100_000, b'{"a":' * 5_000, b"nul", b"7", b'"text"', b"[1,2]", b"9" * 5_000, b"{}x"):
        site.answers["/api"] = Answer(body=body)
        run = sync(source)
        assert (run.status, bool(run.error)) == ("failed", True), body[:20]
        assert "our side" not in (run.error or "")
    site.answers["/api"] = Answer(
        body=b'[{"id":NaN,"title":1e999,"text":"The gate is open from seven to ten."}]'
    )
    assert sync(source).status == "succeeded"


INWARD = [
    "http://169.254.169.254/latest/",
    "http://[::1]:6379/",
    "http://[::ffff:127.0.0.1]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://168.63.129.16/",
]


@pytest.mark.django_db
@pytest.mark.parametrize("url", INWARD)
def test_addresses_inside_the_network_are_refused_by_what_they_mean(
    make: Make, llm: Any, settings: Any, url: str
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_allow_private_hosts": False})
    run = sync(make("web_page", url=url))
    assert (run.status, "private network" in (run.error or "")) == ("failed", True)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "to", ["file:///etc/hosts", "gopher://127.0.0.1:6379/_x", "http://", "//user:pw@x.example/"]
)
def test_a_redirect_to_what_is_no_address_is_refused(make: Make, site: SourceSite, llm: Any, to: str) -> None:
    site.answers["/"] = Answer(status=302, headers={"location": to})
    run = sync(make("web_page", url=site.url("/")))
    assert (run.status, (run.error or "").startswith("Fetching failed")) == ("failed", True)


@pytest.mark.django_db
def test_redirects_without_an_end(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/"] = Answer(status=302, headers={"location": "/"})
    assert "too often" in (sync(make("web_page", url=site.url("/"))).error or "")


@pytest.mark.django_db
def test_text_is_stored_in_the_script_it_came_in(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/t"] = Answer(body=TEXT.encode("cp1252"), headers={"content-type": "text/plain"})
    assert sync(make("api_pull", url=site.url("/t"), response_mode="text")).status == "succeeded"
    assert the_page().content_text == TEXT
