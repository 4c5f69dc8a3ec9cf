"""The model's part: web pages distilled, other documents tidied where the source asks for it (contract §11.2)."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any

import lxml.html
from pydantic import BaseModel

from apps.foundation.errors import BadInput
from apps.foundation.html import sanitize_html
from apps.foundation.text import clean, neutralize
from apps.integrations.llm.structured import chat_json
from apps.integrations.llm.text import chat_text
from apps.knowledge.chunking import text_of
from apps.knowledge.sync import instructions
from apps.knowledge.sync.documents import NO_AI, Document
from apps.knowledge.sync.faithful import is_faithful

log = logging.getLogger(__name__)

DISTILL_VERSION = "web-distill-v2"
CLEANUP_VERSION = "knowledge-cleanup-v1"
MAX_INPUT_CHARS = 80_000
MAX_TOKENS = 32_000
TIMEOUT_SECONDS = 180.0
# A page may be mostly frame; a document of one's own is not.
DISTILL_KEEPS = 0.08
CLEANUP_KEEPS = 0.5
_FENCE = re.compile(r"\A\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_WRAPPER = re.compile(r"<div>(.*)</div>", re.DOTALL)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """What the model does with the documents of a run."""

    kind: str | None = None
    extra: str | None = None

    @property
    def mark(self) -> str:
        """What stands for it in the raw hash."""
        return f"{self.kind}:{self.extra or ''}" if self.kind else NO_AI


@dataclass(frozen=True, kw_only=True)
class Content:
    """What is stored. ``by_model`` is false where its answer could not be used."""

    title: str
    html: str = field(repr=False)
    by_model: bool


class Distilled(BaseModel):
    """The model's answer about a web page."""

    title: str
    content_html: str
    problem: str


def treated(document: Document, treatment: Treatment) -> Content:
    """The content to store. An answer that lost or invented something is left aside for the document itself.

    Raises :class:`LlmFailure` when the model does not answer, :class:`BadInput` when it finds no content.
    """
    html = html_of(document)
    if treatment.kind is None:
        return Content(title=document.title, html=html, by_model=False)
    head, rest = split_at(html, MAX_INPUT_CHARS)
    if treatment.kind == DISTILL_VERSION:
        return _distilled(document, head, rest, extra=treatment.extra)
    return _cleaned(document, head, rest, extra=treatment.extra)


def html_of(document: Document) -> str:
    """The document as sanitised HTML."""
    if document.content_html is not None:
        return sanitize_html(document.content_html)
    blocks = (block.strip("\n") for block in _PARAGRAPHS.split(document.content_text or ""))
    made = "\n".join(f"<p>{escape(block)}</p>".replace("\n", "<br>\n") for block in blocks if block.strip())
    return sanitize_html(made)


def split_at(html: str, limit: int) -> tuple[str, str]:
    """The blocks that fit and those that do not: what the model cannot be shown is kept as it is."""
    if len(html) <= limit:
        return html, ""
    pieces = _blocks(html, limit)
    size = count = 0
    for piece in pieces:
        if size + len(piece) > limit:
            break
        size, count = size + len(piece), count + 1
    return "".join(pieces[:count]), "".join(pieces[count:])


def _blocks(html: str, limit: int) -> list[str]:
    """What stands side by side; a wrapper around too much is opened."""
    nodes: Any = lxml.html.fragments_fromstring(html)
    pieces: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(escape(node, quote=False))
            continue
        piece = lxml.html.tostring(node, encoding="unicode")
        inner = _WRAPPER.fullmatch(lxml.html.tostring(node, encoding="unicode", with_tail=False))
        if inner is None or len(piece) <= limit:
            pieces.append(piece)
        else:
            pieces += ["\n", *_blocks(inner.group(1), limit), "\n", escape(node.tail or "", quote=False)]
    return pieces


def _distilled(document: Document, head: str, rest: str, *, extra: str | None) -> Content:
    if not head:
        return Content(title=document.title, html=rest, by_model=False)
    made = chat_json(
        _messages(instructions.DISTILL, document, head, extra=extra),
        Distilled,
        purpose="knowledge.distill",
        temperature=0,
        max_tokens=MAX_TOKENS,
        timeout=TIMEOUT_SECONDS,
    )
    html = sanitize_html(made.content_html)
    if _is_drawn_from(html, head, keep=DISTILL_KEEPS):
        title = " ".join(clean(made.title).split())[:300]
        kept = is_faithful(title, original=f"{document.title} {text_of(head)}", keep=0) if title else False
        return Content(title=title if kept else document.title, html=html + rest, by_model=True)
    if made.problem.strip() and not html and len(text_of(head)) < 400:
        raise BadInput(f"the model found no content in it ({' '.join(clean(made.problem).split())[:200]})")
    log.info("a distilled page did not agree with its article; the article is kept instead")
    return Content(title=document.title, html=head + rest, by_model=False)


def _cleaned(document: Document, head: str, rest: str, *, extra: str | None) -> Content:
    if not head:
        return Content(title=document.title, html=rest, by_model=False)
    answer = chat_text(
        _messages(instructions.CLEAN, document, head, extra=extra),
        purpose="knowledge.cleanup",
        temperature=0,
        max_tokens=MAX_TOKENS,
        timeout=TIMEOUT_SECONDS,
    )
    fenced = _FENCE.match(answer.text)
    html = sanitize_html(fenced.group(1) if fenced else answer.text)
    if answer.cut or not _is_drawn_from(html, head, keep=CLEANUP_KEEPS):
        log.info("a cleaned document did not agree with what came; it is kept as it came")
        return Content(title=document.title, html=head + rest, by_model=False)
    return Content(title=document.title, html=html + rest, by_model=True)


def _is_drawn_from(made: str, original: str, *, keep: float) -> bool:
    # Link targets count as text here: an invented address is an invented fact.
    return is_faithful(_read(made), original=_read(original), keep=keep)


def _read(html: str) -> str:
    targets = " ".join(unescape(target) for target in re.findall(r'href="([^"]*)"', html))
    return f"{text_of(html)}\n{targets}".strip()


def _messages(task: str, document: Document, head: str, *, extra: str | None) -> list[dict[str, str]]:
    shown = instructions.material(neutralize(document.title), neutralize(head))
    return [
        {"role": "system", "content": instructions.system(task, neutralize(extra) if extra else None)},
        {"role": "user", "content": shown},
    ]
