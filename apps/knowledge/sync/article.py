"""The article of a web page, without what stands around it (contract §11.1)."""

from __future__ import annotations

import logging
import re
from copy import deepcopy
from dataclasses import dataclass, field

import lxml.html
from lxml import etree
from readability import Document
from readability.readability import Unparseable

from apps.foundation.html import sanitize_html
from apps.knowledge.chunking import text_of
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.steady import steady
from apps.knowledge.sync.unfold import unfold

# It reports each page it cannot read with a traceback; we say it in the run.
logging.getLogger("readability").setLevel(logging.CRITICAL)

MAX_CHARS = 3_000_000
_NEVER_READ = frozenset(
    {"script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas"}
    | {"input", "button", "select", "textarea", "dialog", "nav"}
)
_AROUND = ("footer", "aside", "form", "header")
_ROLES = frozenset({"navigation", "search", "banner", "alertdialog", "dialog"})
_KEPT = {"id": 200, "class": 200, "href": 2_000, "colspan": 4, "rowspan": 4, "hidden": 20}
_AD = re.compile(
    r"(?:^|[-_ ])(?:ads?|advert\w*|adsbygoogle|sponsored\w*|cookies?|consent|gdpr|captcha|paywall)(?:$|[-_ ])",
    re.IGNORECASE,
)
# "(3) Berths": what waits for whoever looks, not a part of the name.
_UNREAD = re.compile(r"\A\(\d+\+?\)\s*")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAIN_SHARE = 0.5
_READ_SHARE = 0.85
_MAX_TITLE = 300
_DATES = ("article:modified_time", "article:published_time", "dcterms.modified", "date")


@dataclass(frozen=True, kw_only=True)
class WebPage:
    """What was found. ``visible`` is all text of the page, by which walls are told from content."""

    title: str
    head_title: str
    html: str = field(repr=False)
    text: str = field(repr=False)
    visible: str = field(repr=False)
    author: str | None
    day: str | None
    asks_password: bool
    needs_script: bool
    is_challenge: bool


def read_article(html: str, *, url: str) -> WebPage:
    """Reads a page; raises :class:`SyncFailure` when there is no page in it."""
    tree = _parsed(html)
    head_title, asks_password = _head_title(tree), bool(tree.xpath("//input[@type='password']"))
    needs_script = _needs_script(tree)
    # A script of the same path watches over ordinary pages too.
    is_challenge = "_cf_chl_opt" in html or "challenge-form" in html
    title, author, day = _title(tree), _meta(tree, "author", "article:author"), _meta(tree, *_DATES)
    unfold(tree)
    _strip(tree)
    body = tree.find(".//body")
    body = tree if body is None else body
    tree.make_links_absolute(url, resolve_base_href=True, handle_failures="discard")
    visible = _text(body)
    article = _best(tree, body)
    return WebPage(
        title=title or head_title,
        head_title=head_title,
        html=article,
        text=text_of(article),
        visible=visible,
        author=author,
        day=day,
        asks_password=asks_password,
        needs_script=needs_script,
        is_challenge=is_challenge,
    )


def _parsed(html: str) -> lxml.html.HtmlElement:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return lxml.html.document_fromstring(html[:MAX_CHARS].encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise SyncFailure("The source answered with an empty page.") from None


def _strip(tree: lxml.html.HtmlElement) -> None:
    """Takes out what is never read, and every attribute the search for the article does not need.

    That search serialises the page and runs patterns over it whose time grows with long attributes.
    """
    whole = len(_text(tree)) or 1
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.getparent() is None:
            continue
        if element.tag in _NEVER_READ or _is_hidden(element) or _is_ad(element, whole=whole):
            element.drop_tree()
            continue
        for name, value in list(element.attrib.items()):
            if len(str(value)) > _KEPT.get(str(name), 0):
                del element.attrib[name]


def _is_hidden(element: lxml.html.HtmlElement) -> bool:
    style = str(element.get("style") or "")[:2_000]
    return element.get("hidden") is not None or bool(_HIDDEN_STYLE.search(style))


def _is_ad(element: lxml.html.HtmlElement, *, whole: int) -> bool:
    """By its name, unless most of the page is in it: then the name means something else."""
    if element.tag in ("html", "body", "main", "article"):
        return False
    name = f"{str(element.get('class') or '')[:200]} {str(element.get('id') or '')[:200]}"
    if str(element.get("role") or "") in _ROLES or _AD.search(name):
        return len(_text(element)) < whole * 0.3
    return False


def _best(tree: lxml.html.HtmlElement, body: lxml.html.HtmlElement) -> str:
    """What the page itself calls its main part, else the article that was found, else all but the frame.

    The search for an article is generous with what it drops, short tables above all; a fact lost here is lost, while
    the model will leave out what is too much.
    """
    trimmed = _trimmed(body)
    mains = trimmed.xpath(".//main | .//*[@role='main']") or trimmed.xpath(".//article")
    if len(mains) == 1 and len(_text(mains[0])) >= len(_text(trimmed)) * _MAIN_SHARE:
        return steady(sanitize_html(_html(mains[0])))
    found = _readable(tree)
    read = steady(sanitize_html(found))
    whole = len(_text(trimmed))
    if len(text_of(read)) >= whole * _READ_SHARE and found.count("<table") >= len(
        list(trimmed.iter("table"))
    ):
        return read
    return steady(sanitize_html(_html(trimmed)))


def _trimmed(body: lxml.html.HtmlElement) -> lxml.html.HtmlElement:
    copy = deepcopy(body)
    for element in list(copy.iter(*_AROUND)):
        if element.getparent() is not None and (element.tag != "header" or _is_outside(element)):
            element.drop_tree()
    return copy


def _is_outside(header: lxml.html.HtmlElement) -> bool:
    return not any(parent.tag in ("main", "article", "section") for parent in header.iterancestors())


def _readable(tree: lxml.html.HtmlElement) -> str:
    try:
        return str(Document(deepcopy(tree)).summary(html_partial=True))
    except (Unparseable, RecursionError, ValueError, TypeError, AttributeError):
        return ""


def _html(element: lxml.html.HtmlElement) -> str:
    return str(lxml.html.tostring(element, encoding="unicode", with_tail=False))


def _text(element: lxml.html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


def _title(tree: lxml.html.HtmlElement) -> str:
    headings = [_text(heading) for heading in tree.iter("h1")]
    if len(headings) == 1 and 0 < len(headings[0]) <= _MAX_TITLE:
        return headings[0]
    return (_meta(tree, "og:title") or "")[:_MAX_TITLE]


def _head_title(tree: lxml.html.HtmlElement) -> str:
    found = tree.find(".//title")
    return "" if found is None else _UNREAD.sub("", _text(found))[:_MAX_TITLE]


def _meta(tree: lxml.html.HtmlElement, *names: str) -> str | None:
    stated = {
        str(meta.get("property") or meta.get("name") or "").lower(): str(meta.get("content") or "").strip()
        for meta in tree.iter("meta")
    }
    return next((stated[name] for name in names if stated.get(name)), None)


def _needs_script(tree: lxml.html.HtmlElement) -> bool:
    asked = any("javascript" in _text(element).lower() for element in tree.iter("noscript"))
    mounts = tree.xpath("//*[@id='root' or @id='app' or @id='__next' or @id='__nuxt']")
    return asked or any(not _text(mount) for mount in mounts)
