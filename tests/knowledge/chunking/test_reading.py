"""What a page's markup becomes: headings and blocks, nothing visible lost, nothing hidden kept."""

import pytest

from apps.knowledge.chunking import text_of
from apps.knowledge.chunking.reader import Block, Heading, read_pieces


def test_blocks_stay_whole_and_loose_text_becomes_blocks() -> None:
    pieces = read_pieces("<h2>Desk</h2><div>loose <b>text</b><br>next line</div>tail<p>a paragraph</p>")
    assert pieces == [
        Heading(2, "Desk"),
        Block("loose text\nnext line"),
        Block("tail"),
        Block("a paragraph"),
    ]


def test_lists_keep_bullets_numbers_and_nesting() -> None:
    html = "<ul><li>one<ul><li>nested</ul><li></li><li><p>three</p></ul><ol start=4><li>x<li>y</ol>"
    assert read_pieces(html) == [Block("- one\n  - nested\n- three"), Block("4. x\n5. y")]


def test_preformatted_text_keeps_its_lines_and_indents() -> None:
    assert read_pieces("<pre>def f():\n    return  1</pre>") == [Block("def f():\n    return  1")]


@pytest.mark.parametrize("tag", ["script", "style", "noscript", "template", "iframe", "title"])
def test_hidden_content_is_not_text(tag: str) -> None:
    assert text_of(f"<p>seen</p><{tag}>hidden</{tag}><p>also seen</p>") == "seen\n\nalso seen"


def test_comments_and_entities() -> None:
    assert text_of("<p>a<!-- no -->b &amp; c &lt;d&gt; &#x1F600; &bogus;</p>") == "ab & c <d> 😀 &bogus;"


def test_text_postgres_would_refuse_is_cleaned() -> None:
    assert text_of("<p>a\x00b \ud800 &#0; c</p>") == "ab \ufffd \ufffd c"


def test_a_heading_that_is_never_closed_does_not_swallow_the_page() -> None:
    assert read_pieces("<h1>Open<p>body text") == [Heading(1, "Open"), Block("body text")]


@pytest.mark.parametrize("markup", ["", "   ", "<!-- only -->", "<", "<p>", "</p></div>", "<table></table>"])
def test_nearly_nothing_is_no_error(markup: str) -> None:
    assert text_of(markup) in {"", "<"}


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "svg", "nosuchtag"])
def test_absurd_nesting_keeps_the_text(tag: str) -> None:
    assert text_of(f"<{tag}>" * 20_000 + "the text").removeprefix("- ") == "the text"
