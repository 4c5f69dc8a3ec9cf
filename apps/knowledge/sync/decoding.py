"""The bytes of an answer as text or JSON, whatever it calls itself (contract §11.1)."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Literal

from apps.foundation.http import HttpReply
from apps.foundation.text import clean
from apps.knowledge.sync.failure import SyncFailure

Mode = Literal["json", "html", "text"]

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
# What may stand before the first tag, with its end.
_BEFORE_HTML = ((b"<!--", b"-->"), (b"<?xml", b"?>"))
# Known to Python, but no character set a page can be in; some take very long, and the bytes of any text fit others.
_NO_CHARSET = re.compile(r"idna|punycode|undefined|utf[-_]?7|(?:raw_)?unicode_escape", re.IGNORECASE)
_LATIN = ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "windows-1252", "cp1252")
_UNREADABLE = ("image/", "video/", "audio/", "font/", "application/zip", "application/octet-stream")
_OFFICE = re.compile(r"application/(?:msword|vnd\.(?:ms-|openxmlformats|oasis))")


def mode_of(reply: HttpReply, *, wanted: str) -> Mode:
    """How to read the answer: as the source says, or as the answer looks."""
    if wanted in ("json", "html", "text"):
        return wanted  # type: ignore[return-value]
    kind = content_type(reply)
    if kind == "application/json" or kind.endswith("+json"):
        return "json"
    if looks_like_html(reply.body) or kind in ("text/html", "application/xhtml+xml"):
        return "html"
    return "json" if reply.body.lstrip()[:1] in (b"{", b"[") else "text"


def content_type(reply: HttpReply) -> str:
    """The media type alone, in lower case."""
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower()


def looks_like_html(body: bytes) -> bool:
    """By its first tag, after comments and a declaration."""
    head = body[:4096].removeprefix(codecs.BOM_UTF8).lstrip()
    while found := next((end for start, end in _BEFORE_HTML if head.startswith(start)), None):
        head = head.partition(found)[2].lstrip()
    return _HTML.match(head) is not None


def refuse_unreadable(reply: HttpReply) -> None:
    """Raises :class:`SyncFailure` for what is no text."""
    kind = content_type(reply)
    if kind == "application/pdf" or reply.body[:1024].lstrip().startswith(b"%PDF-"):
        raise SyncFailure("The address leads to a PDF file. Root reads web pages, JSON and plain text.")
    if kind.startswith(_UNREADABLE) or _OFFICE.match(kind) or b"\x00\x00\x00" in reply.body[:512]:
        raise SyncFailure(f"The address leads to a file that is no text ({kind or 'no type given'}).")


def as_text(reply: HttpReply) -> str:
    """The text, by the declared character set, by its own mark, or as UTF-8."""
    for name in _encodings(reply):
        try:
            return clean(reply.body.decode(name))
        except (UnicodeError, LookupError):
            continue
    return clean(reply.body.decode("cp1252", errors="replace"))


def as_json(reply: HttpReply) -> Any:
    """The JSON value; raises :class:`SyncFailure`."""
    if looks_like_html(reply.body):
        raise SyncFailure("The source answered with a web page where JSON was expected.")
    try:
        return json.loads(as_text(reply))
    except (ValueError, RecursionError):
        raise SyncFailure("The source answered with something that is not valid JSON.") from None


def _encodings(reply: HttpReply) -> list[str]:
    marked = [name for mark, name in _MARKS if reply.body.startswith(mark)]
    declared = _CHARSET.search(reply.headers.get("content-type", ""))
    inside = _META_CHARSET.search(reply.body[:4096])
    named = [declared.group(1)] if declared else []
    named += [inside.group(1).decode("ascii")] if inside else []
    made: list[str] = []
    for name in named:
        # Servers call UTF-8 Latin-1 by default, and hardly a Latin text is UTF-8 by chance. What else they call
        # Latin-1 is Windows-1252, in browsers and in practice.
        made += ["utf-8", "cp1252"] if name.lower() in _LATIN else [name]
    return [*marked, *(name for name in made if not _NO_CHARSET.fullmatch(name)), "utf-8"]
