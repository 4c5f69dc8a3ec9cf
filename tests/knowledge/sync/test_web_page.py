"""Web pages: the article is kept, walls and shells never replace it (contract §11.1, KNW-02)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.knowledge.models import KnowledgeSource
from apps.knowledge.sync import calling
from tests.fakes.llm import fails, says_json
from tests.fakes.source_site import Answer, SourceSite, moved, page
from tests.knowledge.sync.conftest import counters, sync, the_page

pytestmark = pytest.mark.django_db
Make = Callable[..., KnowledgeSource]
TEXT = (
    "The harbour office opens at 8:30 and closes at 17:15 on weekdays. Berths are paid in advance: 42 euros a night for"
    " boats up to 12 metres, 65 euros above that. Write to berths@harbour.example for a place in July and August."
)
ARTICLE = f"""<!doctype html><html><head><title>Berths - Harbour</title></head><body>
<nav><a href="/">Home</a> <a href="/news">News</a></nav>
<main><h1>Berths</h1><p>{TEXT}</p><table><tr><th>Season</th><th>Price</th></tr><tr><td>Winter</td><td>21</td></tr>
</table><p>Keys are handed out by the warden of pier seven, who also knows the tides.</p></main>
<footer>Harbour Works</footer></body></html>"""
DISTILLED = {
    "title": "Berths",
    "content_html": f"<p>{TEXT}</p><p>Winter: 21. Keys are handed out by the warden of pier seven.</p>",
    "problem": "",
}
DISTILL = "knowledge.distill"


@pytest.fixture
def source(make: Make, site: SourceSite, llm: Any) -> KnowledgeSource:
    """A page that was synced well once."""
    site.answers["/berths"] = page(ARTICLE)
    llm.answer_with(lambda *_: says_json(DISTILLED), purpose=DISTILL)
    made = make("web_page", url=site.url("/berths"))
    assert sync(made).status == "succeeded"
    return made


def test_the_article_is_distilled_once(source: KnowledgeSource, site: SourceSite, llm: Any) -> None:
    stored = the_page()
    assert (stored.title, stored.source_type, stored.source_url) == ("Berths", "url", source.url)
    assert "42 euros" in stored.content_text
    (asked,) = llm.chats_for(DISTILL)
    assert "warden of pier seven" in asked.text
    assert "News" not in asked.text
    llm.reset()
    again = sync(source)
    assert counters(again) == (0, 0, 1, 0)
    assert llm.requests == []


def test_what_differs_with_each_visit_changes_nothing(
    source: KnowledgeSource, site: SourceSite, llm: Any
) -> None:
    llm.reset()
    noisy = (
        ARTICLE.replace(
            "<head>", '<head><meta name="csrf-token" content="8f3a9c1d"><script nonce="x1">t=123</script>'
        )
        .replace(
            "<main>",
            '<!-- built 1764480000 --><main data-request="9f8e7d6c" id="m"><input type="hidden" value="q">',
        )
        .replace(
            "</table>",
            '</table><div class="ads sponsored">Buy a yacht 77</div><p>Page generated in 0.031 seconds</p>',
        )
        .replace(
            "</main>",
            "<small>3 minutes ago</small><p>Last updated: 30 Nov 2026 05:20:11</p><p>1,204 views</p>"
            "<p>Request ID: 7fe21-aa09-44c1</p></main>",
        )
    )
    site.answers["/berths"] = page(noisy)
    assert counters(sync(source)) == (0, 0, 1, 0)
    assert llm.requests == []


BROKEN: dict[str, tuple[Answer, str]] = {
    "bot check": (
        page(
            "<title>Just a moment...</title><body><p>Checking your browser before you reach the site.</p></body>"
        ),
        "bot check",
    ),
    "forbidden": (page("<p>no</p>", status=403), "403"),
    "shell": (page("<div id=root></div><noscript>Please enable JavaScript</noscript>"), "JavaScript"),
    "pdf": (Answer(body=b"%PDF-1.7 ...", headers={"content-type": "application/pdf"}), "PDF"),
    "pdf in disguise": (Answer(body=b"%PDF-1.7 ...", headers={"content-type": "text/html"}), "PDF"),
    "nothing": (Answer(headers={"content-type": "text/html"}), "empty"),
    "soft 404": (
        page("<title>404 - Page not found</title><p>We looked everywhere for that page.</p>"),
        "does not exist",
    ),
    "shrunken": (
        page(
            "<main><h1>Berths</h1><p>The berths of the harbour are described here soon, come back.</p></main>"
        ),
        "shrank",
    ),
    "a picture": (Answer(body=b"\x89PNG\x00\x00\x00", headers={"content-type": "image/png"}), "no text"),
    "server error": (page("oops", status=500), "500"),
}


@pytest.mark.parametrize(("answer", "reason"), BROKEN.values(), ids=BROKEN)
def test_nothing_bad_replaces_the_good_page(
    source: KnowledgeSource, site: SourceSite, llm: Any, answer: Answer, reason: str
) -> None:
    before = the_page().content_html
    llm.reset()
    site.answers["/berths"] = answer
    run = sync(source)
    assert run.status == "failed"
    assert reason in (run.error or "")
    assert the_page().content_html == before
    assert llm.requests == []
    source.refresh_from_db()
    assert (source.consecutive_failures, source.status) == (1, "active")


def test_a_login_page_behind_a_redirect(source: KnowledgeSource, site: SourceSite, llm: Any) -> None:
    site.answers["/berths"] = moved("/login?next=/berths")
    site.answers["/login"] = page(
        "<title>Harbour</title><form><p>Welcome back. Please log in with your mail address to go on reading.</p>"
        '<input name="u"><input type="password"></form>'
    )
    run = sync(source)
    assert "login page" in (run.error or "")
    assert "42 euros" in the_page().content_text


def test_a_stalled_site(
    source: KnowledgeSource, site: SourceSite, llm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "FETCH_SECONDS", 0.3)
    site.answers["/berths"] = page(ARTICLE, delay=3)
    run = sync(source)
    assert (run.status, "did not answer in time" in (run.error or "")) == ("failed", True)


def test_three_failures_are_an_error_and_one_success_ends_it(
    source: KnowledgeSource, site: SourceSite, llm: Any
) -> None:
    good, site.answers["/berths"] = site.answers["/berths"], page("no", status=403)
    for _ in range(3):
        sync(source)
    source.refresh_from_db()
    assert (source.status, source.consecutive_failures) == ("error", 3)
    assert "403" in source.last_error
    site.answers["/berths"] = good
    assert sync(source).status == "succeeded"
    source.refresh_from_db()
    assert (source.status, source.consecutive_failures, source.last_error) == ("active", 0, "")


def test_an_admin_may_accept_a_shorter_page(source: KnowledgeSource, site: SourceSite, llm: Any) -> None:
    site.answers["/berths"], _ = BROKEN["shrunken"]
    llm.answer_with(
        lambda *_: says_json({"title": "Berths", "content_html": "", "problem": ""}), purpose=DISTILL
    )
    assert counters(sync(source, accept_shorter=True)) == (0, 1, 0, 0)
    assert "come back" in the_page().content_text


@pytest.mark.parametrize(
    "made",
    [
        {"title": "", "content_html": "", "problem": ""},
        {
            "title": "Prices",
            "content_html": "<p>No language model is connected here, sorry about that indeed. " * 9,
            "problem": "",
        },
        {
            "title": "Berths",
            "content_html": f"<p>{TEXT.replace('42', '58').replace('65', '99').replace('12', '31')}</p>",
            "problem": "",
        },
        {
            "title": "Berths",
            "content_html": f"<p>{TEXT} See https://evil.example/pay now.</p>",
            "problem": "",
        },
    ],
    ids=["nothing", "something else", "other figures", "an invented address"],
)
def test_an_unfaithful_answer_is_left_aside(
    make: Make, site: SourceSite, llm: Any, made: dict[str, str]
) -> None:
    site.answers["/berths"] = page(ARTICLE)
    llm.answer_with(lambda *_: says_json(made), purpose=DISTILL)
    source = make("web_page", url=site.url("/berths"))
    run = sync(source)
    assert (run.status, run.pages_created, run.ai_cleaned) == ("succeeded", 1, 0)
    assert "42 euros" in the_page().content_text
    assert "Winter" in the_page().content_text
    assert counters(sync(source)) == (0, 0, 1, 0)


def test_a_model_that_is_away_fails_the_run_and_keeps_the_page(
    source: KnowledgeSource, site: SourceSite, llm: Any
) -> None:
    before = the_page().content_html
    site.answers["/berths"] = page(ARTICLE.replace("17:15", "18:45"))
    llm.answer_with(lambda *_: fails(402, "no credit"), purpose=DISTILL)
    run = sync(source)
    assert (run.status, "402" in (run.error or "")) == ("failed", True)
    assert the_page().content_html == before
    llm.answer_with(
        lambda *_: says_json(
            {**DISTILLED, "content_html": DISTILLED["content_html"].replace("17:15", "18:45")}
        ),
        purpose=DISTILL,
    )
    assert counters(sync(source)) == (0, 1, 0, 0)


def test_an_answer_left_aside_is_asked_for_once_a_day(
    make: Make, site: SourceSite, llm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import timedelta

    from apps.foundation import clock
    from apps.knowledge.sync import storing

    site.answers["/berths"] = page(ARTICLE)
    llm.answer_with(lambda *_: says_json({"title": "", "content_html": "", "problem": ""}), purpose=DISTILL)
    source = make("web_page", url=site.url("/berths"))
    for _ in range(3):
        assert sync(source).status == "succeeded"
    assert len(llm.chats_for(DISTILL)) == 1
    monkeypatch.setattr(storing, "now", lambda: clock.now() + timedelta(days=1))
    llm.answer_with(lambda *_: says_json(DISTILLED), purpose=DISTILL)
    assert counters(sync(source)) == (0, 1, 0, 0)
    assert counters(sync(source)) == (0, 0, 1, 0)
    assert len(llm.chats_for(DISTILL)) == 2


def test_an_article_is_compared_with_the_article_before_and_not_with_its_short_form(
    make: Make, site: SourceSite, llm: Any
) -> None:
    long = ARTICLE.replace(
        "</main>", "<p>The tide table of pier nine is kept by its warden at all times.</p>" * 30 + "</main>"
    )
    site.answers["/berths"] = page(long)
    llm.answer_with(lambda *_: says_json(DISTILLED), purpose=DISTILL)
    source = make("web_page", url=site.url("/berths"))
    first = sync(source)
    stored = len(the_page().content_text)
    assert first.metadata["article_chars"] > 3 * stored
    site.answers["/berths"] = page(ARTICLE)
    run = sync(source)
    assert (run.status, "shrank" in (run.error or "")) == ("failed", True)
    assert sync(source, accept_shorter=True).status == "succeeded"
    assert counters(sync(source)) == (0, 0, 1, 0)


def test_a_moved_address_keeps_its_page(source: KnowledgeSource, site: SourceSite, llm: Any) -> None:
    from apps.knowledge.sources import update_source

    site.answers["/new"] = page(ARTICLE)
    changed = update_source(source.pk, url=site.url("/new"))
    assert counters(sync(changed))[0] == 0
    assert the_page().source_url == site.url("/new")


def test_charsets_and_plain_text(make: Make, site: SourceSite, llm: Any) -> None:
    text = (
        "Die Öffnungszeiten des Hafenbüros: täglich außer sonntags von sieben bis zehn Uhr, Gebühr fünf Euro."
    )
    site.answers["/text"] = Answer(
        body=text.encode("latin-1"), headers={"content-type": "text/plain; charset=iso-8859-1"}
    )
    llm.answer_with(lambda *_: says_json({"title": "", "content_html": "", "problem": ""}), purpose=DISTILL)
    assert sync(make("web_page", url=site.url("/text"))).status == "succeeded"
    assert "Öffnungszeiten des Hafenbüros" in the_page().content_text


def test_retries_are_one_run(make: Make, site: SourceSite, llm: Any) -> None:
    from apps.knowledge.sync.requests import QUEUE, request_sync
    from apps.tenancy.jobs import run_due
    from apps.tenancy.models import QueueJob
    from tests.knowledge.sync.conftest import make_due

    site.answers["/berths"] = page("oops", status=503)
    source = make("web_page", url=site.url("/berths"))
    run = request_sync(source.pk)
    for attempt in range(1, 5):
        make_due()
        run_due(QUEUE)
        run.refresh_from_db()
        source.refresh_from_db()
        assert (run.status, source.consecutive_failures) == (("running", 0) if attempt < 4 else ("failed", 1))
    assert QueueJob.objects.get(queue=QUEUE).attempts == 4
    assert run.started_at is not None and run.finished_at is not None
    assert run.http_status == 503


def test_private_addresses_are_refused_on_every_hop(
    make: Make, site: SourceSite, llm: Any, settings: Any
) -> None:
    source = make("web_page", url="http://169.254.169.254/latest/")
    settings.ENV = settings.ENV.model_copy(update={"root_allow_private_hosts": False})
    run = sync(source)
    assert (run.status, "private network" in (run.error or "")) == ("failed", True)
    inward = make("api_pull", key="inward", url=site.url("/"))
    assert "private network" in (sync(inward).error or "")
    assert site.asked == []
