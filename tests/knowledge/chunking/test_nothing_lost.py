"""Properties over any page: every visible character arrives, in order, within the bounds."""

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.knowledge.chunking import LIMIT_CHARS, MIN_PAGE_CHARS, OVERLAP_CHARS, chunk_html
from apps.knowledge.chunking.packing import JOIN, pack
from apps.knowledge.chunking.sections import Section

words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=60
)
texts = st.lists(words, min_size=1, max_size=400).map(" ".join)
blocks = st.tuples(st.sampled_from(["p", "div", "pre", "blockquote", "h1", "h2", "h6", "li", "td"]), texts)


def _dense(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, min_size=1, max_size=8), st.integers(0, 300).map(lambda size: "h" * size))
def test_a_section_arrives_whole_and_in_order(parts: list[str], breadcrumb: str) -> None:
    bodies = pack(Section(breadcrumb, parts))
    assert _dense("".join(body.text[body.overlap :] for body in bodies)) == _dense("".join(parts))
    assert all(len(breadcrumb) + len(JOIN) + len(body.text) <= LIMIT_CHARS for body in bodies)
    assert all(body.overlap <= OVERLAP_CHARS + len(JOIN) for body in bodies)


@settings(max_examples=60, deadline=None)
@given(st.lists(blocks, min_size=1, max_size=8))
def test_every_word_of_a_page_is_in_some_chunk(parts: list[tuple[str, str]]) -> None:
    html = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in parts)
    chunks = chunk_html(html)
    if sum(len(_dense(text)) for _, text in parts) < MIN_PAGE_CHARS:
        return
    everything = _dense("".join(chunk.text for chunk in chunks))
    for _, text in parts:
        for word in text.split()[:5]:
            assert word in everything
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(len(chunk.text) <= LIMIT_CHARS for chunk in chunks)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="<>/ab phtdlu1=\"'&;!-\x00\ud800\n", max_size=400))
def test_broken_markup_is_never_an_error(html: str) -> None:
    for chunk in chunk_html(html):
        assert chunk.text.encode("utf-8")
        assert "\x00" not in chunk.text
