"""Cleaning text that people, pages and backends send before it is stored or shown to a model."""

from __future__ import annotations

import re
import unicodedata

_SURROGATES = re.compile(r"[\ud800-\udfff]")
# Control characters say nothing in prose; tab, newline and carriage return do.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(
    r"[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SPACE = re.compile(r"\s+")
_PLACEHOLDER = re.compile(r"(?<=\{)(\{)|(?<=\})(\})")
_HEADING = re.compile(r"(?m)^([ \t]*)([A-Z][A-Z0-9 ,&/'()-]{2,}:)")
_MARKDOWN_HEADING = re.compile(r"(?m)^([ \t]*)(#{1,6} )")
_TAG = re.compile(r"<(/?)(message|system|assistant|user|tool|tool_call|instructions?)\b", re.IGNORECASE)


def clean(text: str) -> str:
    """Text Postgres and JSON accept: lone surrogates become U+FFFD, NUL and other controls go."""
    return _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))


def one_line(text: str, *, limit: int = 200) -> str:
    """A name, title or other piece of metadata as one bounded line."""
    flat = _SPACE.sub(" ", _INVISIBLE.sub("", clean(text))).strip()
    return neutralize(flat if len(flat) <= limit else flat[: limit - 1] + "…")


def neutralize(text: str) -> str:
    """Text that people control, made unable to pose as structure of a prompt.

    Words stay readable: placeholder braces are spaced apart, capitalised section headings and message tags
    lose the form our prompts use for them.
    """
    text = _INVISIBLE.sub("", clean(text))
    text = _PLACEHOLDER.sub(lambda found: f" {found.group()}", text)
    text = _TAG.sub(r"‹\1\2", text)
    text = _MARKDOWN_HEADING.sub(lambda found: f"{found[1]}· {found[2].strip('# ')}", text)
    return _HEADING.sub(lambda found: f"{found[1]}“{found[2][:-1]}”:", text)


def normalized(text: str) -> str:
    """NFC, trimmed and case-folded: how addresses and names are compared."""
    return unicodedata.normalize("NFC", text).strip().casefold()
