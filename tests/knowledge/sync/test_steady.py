"""What differs with each visit goes, what people wrote stays (contract §11.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.foundation.html import sanitize_html
from apps.knowledge.sync.faithful import is_faithful
from apps.knowledge.sync.normalize import normalized
from apps.knowledge.sync.steady import steady

GOES = [
    ("<p>Open</p><small>3 minutes ago</small>", "<p>Open</p>"),
    ("<p>Open</p><p>Page generated in 0.12 seconds</p>", "<p>Open</p>"),
    ("<p>Open</p><p>Last updated: 30 Nov 2026 05:20</p>", "<p>Open</p>"),
    ("<p>Open</p><p>1,204 views</p>", "<p>Open</p>"),
    ("<p>Open</p><span>2026-11-30T05:20:11Z</span>", "<p>Open</p>"),
    ("<p>Open</p><p>Request ID: 7fe21aa09b</p>", "<p>Open</p>"),
    ('<a href="/x?utm_source=a&amp;id=7&amp;sid=123">Tides</a>', '<a href="/x?id=7">Tides</a>'),
    ('<a href="/x;jsessionid=1A2B" title="now">Tides</a>', '<a href="/x">Tides</a>'),
]
STAYS = [
    "<p>The harbour was founded 30 years ago and opens at 8:30.</p>",
    "<p>The concert is on 12 May 2026, 18:00, in the main hall.</p>",
    "<p>Session: Wednesday morning. Token: a wooden chip from the desk.</p>",
    "<pre>curl -H 'token: abc12345678' 2026-11-30T05:20:11Z</pre>",
    "<td>21</td>",
    '<a href="https://ex.org/?id=7&amp;page=2">x</a>',
    "<p>Updated rules for guests</p>",
]


@pytest.mark.parametrize(("given_html", "left"), GOES)
def test_goes(given_html: str, left: str) -> None:
    assert steady(given_html) == left


@pytest.mark.parametrize("html", STAYS)
def test_stays(html: str) -> None:
    assert steady(html) == html


@given(st.text(max_size=400))
def test_never_raises_and_settles_at_once(text: str) -> None:
    once = steady(sanitize_html(text))
    assert steady(once) == once or len(steady(once)) < len(once)


@given(
    st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
            lambda inner: st.dictionaries(
                st.sampled_from(
                    ["external_id", "slug", "title", "content_text", "content_html", "knowledge_date"]
                ),
                inner,
                max_size=5,
            ),
            max_leaves=6,
        ),
        max_size=8,
    )
)
def test_any_delivery_is_documents_or_problems(delivery: list[object]) -> None:
    documents, problems = normalized(delivery)
    assert len(documents) + len(problems) <= len(delivery)
    assert len({document.external_id for document in documents}) == len(documents)
    assert normalized(delivery) == (documents, problems)


@given(st.text(min_size=1, max_size=300))
def test_a_text_is_faithful_to_itself(text: str) -> None:
    assert is_faithful(text, original=text, keep=0.9) or not text.strip()
