"""HTML we may show: Markdown rendered, foreign markup reduced to harmless markup (contract §8.4, 11.2)."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from apps.foundation.html_references import with_references, without_references
from apps.foundation.text import clean

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
_TAGS = frozenset(
    """
    a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6
    hr i ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr
    u ul var
    """.split()  # noqa: SIM905
)
_GONE_WITH_THEIR_TEXT = frozenset({"script", "style", "noscript", "template", "iframe", "object", "title"})
# Their end tag may be left out, so that many in a row are no deep tree.
_NEVER_DEEPENS = frozenset({"p", "li", "dt", "dd", "td", "th", "tr", "br", "hr", *_GONE_WITH_THEIR_TEXT})
_CELL = frozenset({"colspan", "rowspan", "align"})
_SANITIZER = nh3.Cleaner(
    tags=set(_TAGS),
    clean_content_tags=set(_GONE_WITH_THEIR_TEXT),
    attributes={
        "a": {"href", "title"},
        "abbr": {"title"},
        "ol": {"start"},
        "td": set(_CELL),
        "th": set(_CELL),
    },
    url_schemes=set(LINK_SCHEMES),
    url_relative="deny",
    link_rel="noopener noreferrer",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)
_MAX_DEPTH = 200
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>")
_BARE_URL = re.compile(r"https?://[^\s<>\"'`\\^{}|]+", re.IGNORECASE)
_ALIGN = re.compile(r"text-align:(left|center|right)")


def sanitize_html(html: str) -> str:
    """Keep text and its structure; scripts, styles, images, handlers and unusual link schemes go."""
    return with_references(_SANITIZER.clean(_reduced(without_references(clean(html)))))


def render_markdown(text: str, *, heading_shift: int = 0) -> str:
    """Render Markdown as sanitised HTML; HTML inside it is shown as text, never obeyed."""
    return sanitize_html(_MARKDOWN.render(clean(text), {"heading_shift": heading_shift}))


def safe_link(url: str | None) -> str | None:
    """Return the address when a page may link to it, else nothing."""
    candidate = clean(url or "").strip()
    if any(ord(char) <= 32 or char == "\\" for char in candidate):
        return None
    try:
        parts = urlsplit(candidate)
        named = bool(parts.hostname) if parts.scheme in {"http", "https"} else bool(parts.path)
    except ValueError:
        return None
    return candidate if parts.scheme in LINK_SCHEMES and named else None


def _reduced(html: str) -> str:
    """Take out unknown tags (the sanitiser would drop the words of a drawing with them) and absurd depth.

    The parser's time grows with the square of the depth. What remains is still untrusted.
    """
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        name = match.group(2).lower()
        if name in _NEVER_DEEPENS:
            return match.group()
        if name not in _TAGS:
            return ""
        before, depth = depth, max(0, depth + (-1 if match.group(1) else 1))
        return "" if max(before, depth) > _MAX_DEPTH else match.group()

    return _TAG.sub(keep, html)


def _shift_headings(state: StateCore) -> None:
    shift = int(state.env.get("heading_shift", 0))
    for token in state.tokens:
        if shift and token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + shift, 6)}"


def _align_cells(state: StateCore) -> None:
    """Columns align by attribute: a strict content policy refuses inline styles."""
    for token in state.tokens:
        found = _ALIGN.search(str(token.attrGet("style") or "")) if token.tag in {"td", "th"} else None
        if found:
            token.attrs = {"align": found.group(1)}


def _link_bare_urls(state: StateCore) -> None:
    for block in state.tokens:
        if block.type == "inline" and block.children and "://" in block.content:
            block.children = _with_links(block.children)


def _with_links(tokens: list[Token]) -> list[Token]:
    linked: list[Token] = []
    inside_link = 0
    for token in tokens:
        inside_link += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not inside_link:
            linked.extend(_split_at_urls(token))
        else:
            linked.append(token)
    return linked


def _split_at_urls(token: Token) -> list[Token]:
    pieces: list[Token] = []
    position = 0
    for match in _BARE_URL.finditer(token.content):
        url = _without_trailing_punctuation(match.group())
        if safe_link(url) is None:
            continue
        pieces += [_text(token.content[position : match.start()]), *_link(url)]
        position = match.start() + len(url)
    return [*pieces, _text(token.content[position:])]


def _without_trailing_punctuation(url: str) -> str:
    trimmed = url.rstrip(".,;:!?*_~")
    while trimmed.endswith((")", "]")) and trimmed.count(trimmed[-1]) > trimmed.count(
        "(["[trimmed[-1] == "]"]
    ):
        trimmed = trimmed[:-1].rstrip(".,;:!?*_~")
    return trimmed


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link(url: str) -> list[Token]:
    return [Token("link_open", "a", 1, attrs={"href": url}), _text(url), Token("link_close", "a", -1)]


def _image_as_link(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any
) -> str:
    """An image becomes a link to it: showing it would tell a stranger's server who is reading."""
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    label = nh3.clean_text(token.content or source)
    return f'<a href="{nh3.clean_text(source)}">{label}</a>'


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.core.ruler.push("shift_headings", _shift_headings)
    parser.core.ruler.push("align_cells", _align_cells)
    parser.core.ruler.push("link_bare_urls", _link_bare_urls)
    parser.add_render_rule("image", _image_as_link)
    return parser


_MARKDOWN = _markdown()
