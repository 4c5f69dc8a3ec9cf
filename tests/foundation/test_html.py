"""Foreign markup keeps its words and structure and loses everything that could act."""

import re

import pytest

from apps.foundation.html import render_markdown, safe_link, sanitize_html
from apps.foundation.html_references import without_references

ACTIVE = re.compile(
    r"<(script|style|svg|math|iframe|img|object|embed|form|input|meta|base)|<[^>]*\s(on\w+|style|src)=|"
    r"<[^>]*href=\"(?!https?:|mailto:)",
    re.IGNORECASE,
)
HOSTILE = [
    ('<a href="java  script:void(0)">open</a>', "open"),
    ('<a href="java\tscript:void(0)">open</a>', "open"),
    ('<a href="jav&#x09;ascript:void(0)">open</a>', "open"),
    (
        "<svg><a><animate attributeName=href values=javascript:void(0)></animate><text>map</text></a></svg>",
        "map",
    ),
    ("<p onclick=x()>words</p>", "words"),
    ("<img src=x onerror=1>after the picture", "after the picture"),
    ("<style>@import url(//e)</style>styled", "styled"),
    ('<a href="data:text/html,..">data</a>', "data"),
    ('<a href="//evil.example">relative</a>', "relative"),
    ("<math><mtext><script>run()</script>sum", "sum"),
    ('<iframe srcdoc="<script>1</script>"></iframe>framed', "framed"),
    ("<form action=//e><input name=q>asked</form>", "asked"),
    ('<div style="position:fixed;inset:0">cover</div>', "cover"),
    ("<noscript><p title='</noscript><img src=x onerror=1>'>x</noscript>kept", "kept"),
    ("<<p>a < b</p>", "b"),
]


@pytest.mark.parametrize(("html", "words"), HOSTILE)
def test_nothing_active_survives_and_the_words_do(html: str, words: str) -> None:
    for shown in (sanitize_html(html), render_markdown(html)):
        assert not ACTIVE.search(shown)
        assert words in shown


def test_structure_and_ordinary_links_survive() -> None:
    html = '<h2>Guests</h2><ul><li><a href="https://roof.example/a?b=1&amp;c=2">rules</a></li></ul>'
    kept = sanitize_html(html)
    assert "<h2>Guests</h2><ul><li>" in kept
    assert 'href="https://roof.example/a?b=1&amp;c=2"' in kept
    assert 'rel="noopener noreferrer"' in kept
    assert 'target="_blank"' in kept


def test_text_no_database_accepts_is_cleaned() -> None:
    assert sanitize_html("<p>a\x00b\ud800c</p>") == "<p>ab\ufffdc</p>"


def test_absurdly_deep_markup_is_flattened_not_fatal() -> None:
    kept = sanitize_html("<div>" * 50_000 + "core" + "</div>" * 50_000)
    assert "core" in kept
    assert kept.count("<div>") <= 200


def test_long_flat_markup_keeps_every_paragraph() -> None:
    kept = sanitize_html("".join(f"<p>line {number}" for number in range(3_000)))
    assert kept.count("<p>") == 3_000


def test_markdown_becomes_structure() -> None:
    shown = render_markdown("# Title\n\nOne **bold**\ntwo `x < y`\n\n| a | b |\n|---|--:|\n| 1 | 2 |")
    assert "<h1>Title</h1>" in shown
    assert "<strong>bold</strong><br>" in shown
    assert "<code>x &lt; y</code>" in shown
    assert '<td align="right">2</td>' in shown


def test_headings_move_down_below_the_page_title() -> None:
    shown = render_markdown("# One\n\n##### Five", heading_shift=2)
    assert "<h3>One</h3>" in shown
    assert "<h6>Five</h6>" in shown


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("see https://roof.example/a_(b), then", "https://roof.example/a_(b)"),
        ("(https://roof.example/q?a=1)", "https://roof.example/q?a=1"),
        ("[a_(b)](https://roof.example/a_(b))", "https://roof.example/a_(b)"),
        ("mail <mailto:x@roof.example>", "mailto:x@roof.example"),
        ("![plan](https://roof.example/plan.png)", "https://roof.example/plan.png"),
    ],
)
def test_addresses_become_links_whole(text: str, href: str) -> None:
    assert f'href="{href}"' in render_markdown(text)


def test_code_keeps_its_addresses_as_text() -> None:
    assert "<a" not in render_markdown("`https://roof.example`\n\n    https://roof.example")


@pytest.mark.parametrize("text", ["[" * 20_000, "*a" * 10_000, "> " * 5_000, "![" * 10_000, "`" * 20_000])
def test_pathological_markdown_comes_back(text: str) -> None:
    assert render_markdown(text)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://roof.example/a", "https://roof.example/a"),
        (" http://roof.example ", "http://roof.example"),
        ("mailto:door@roof.example", "mailto:door@roof.example"),
        ("javascript:1", None),
        ("https://", None),
        ("//roof.example", None),
        ("http://[::1", None),
        ("https://roof.example/a b", None),
        ("", None),
        (None, None),
    ],
)
def test_only_ordinary_addresses_are_linked(url: str | None, expected: str | None) -> None:
    assert safe_link(url) == expected


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("A &amp; B & C &lt;b&gt;", "A &amp; B &amp; C &lt;b&gt;"),
        ("&copy; &eacute; &#8364; &#x1F600; &unknown; &amp", "© é € 😀 &amp;unknown; &amp;amp"),
        ("&nbsp;&quot;&#60;script&#62;&amp;lt;", "&nbsp;&quot;&#60;script&#62;&amp;lt;"),
        ("&#0;&#xD800;&#99999999;", "\ufffd\ufffd&amp;#99999999;"),
        ("\ufdd0lt;", "lt;"),
    ],
)
def test_references_stay_text(html: str, shown: str) -> None:
    assert sanitize_html(html) == shown
    assert sanitize_html(shown) == shown


@pytest.mark.parametrize(
    "href",
    [
        "java&#115;cript:x()",
        "javascript&colon;x()",
        "&Tab;javascript:x()",
        "&#106;avascript:x()",
        "https&colon;//x.example",
    ],
)
def test_a_reference_makes_no_scheme(href: str) -> None:
    assert "href" not in sanitize_html(f'<a href="{href}">x</a>')


@pytest.mark.parametrize(
    ("href", "shown"),
    [
        ("https://x.example/?a=1&amp;b=2&c=3&quot;", "https://x.example/?a=1&amp;b=2&amp;c=3&quot;"),
        ("https://x.example/&quot; onclick=&#34;y()", "https://x.example/&quot; onclick=&#34;y()"),
        ("&#109;ailto:a&#64;b.example", "mailto:a@b.example"),
    ],
)
def test_a_reference_ends_no_attribute(href: str, shown: str) -> None:
    assert f'<a href="{shown}" target=' in sanitize_html(f'<a href="{href}">x</a>')


def test_the_parser_which_is_slow_at_many_of_them_sees_no_reference() -> None:
    for piece in ("&", "&a ", "&amp;", "&#38;", "<a href='&x", "&#x26;"):
        assert "&" not in without_references(piece * 1_000)
