"""Cleaning text that people, pages and backends send before it is stored or shown to a model."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import TypeVar

V = TypeVar("V")

_SURROGATES = re.compile(r"[\ud800-\udfff]")
# Control characters say nothing in prose; tab, newline and carriage return do.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(
    r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Scripts and emoji need these inside words; between the letters of a tag they only hide it.
_JOINERS = r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0]"
# What a terminal obeys or turns around, and what it cannot print; a newline and a tab are as they seem.
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
# Blank to the eye though no white space: fillers of Hangul, the empty Braille cell, the joiners above.
_UNSEEN = re.compile(rf"{_JOINERS}+")
_SPACE = re.compile(r"\s+")
_PLACEHOLDER = re.compile(r"(?<=\{)(\{)|(?<=\})(\})")
# A line begins after every kind of break, and may be led by every kind of space.
_BREAKS = r"\n\r\x85\u2028\u2029"
_LINE_START = rf"((?:\A|(?<=[{_BREAKS}]))(?:[^\S{_BREAKS}]|{_JOINERS})*)"
_HEADING = re.compile(_LINE_START + r"([A-Z][A-Z0-9 ,&/'()-]{2,}:)")
_MARKDOWN_HEADING = re.compile(_LINE_START + rf"#{{1,6}}[^\S{_BREAKS}]")
_TAG_NAMES = ("message", "system", "assistant", "user", "tool", "tool_call", "instruction")
_TAG = re.compile(
    rf"[<＜﹤](?=(?:[\s/]|{_JOINERS})*(?:"
    + "|".join(f"{_JOINERS}*".join(name) for name in _TAG_NAMES)
    + rf")(?:{_JOINERS}*s)?(?!\w))",
    re.IGNORECASE,
)


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
    text = _TAG.sub("‹", text)
    text = _MARKDOWN_HEADING.sub(r"\1· ", text)
    return _HEADING.sub(lambda found: f"{found[1]}“{found[2][:-1]}”:", text)


def without_unseen(text: str) -> str:
    """What is left for the eye; for comparing only, since scripts and emoji are not whole without the rest."""
    return _UNSEEN.sub("", _INVISIBLE.sub("", text))


def is_blank(text: str) -> bool:
    """Is there nothing a person could see?"""
    seen = without_unseen(clean(text))
    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in seen)


def printable(text: str) -> str:
    """For a terminal: what would steer it, or turn the text around, is shown as an escape (as JSON writes it)."""
    return _STEERING.sub(lambda found: json.dumps(found.group())[1:-1], text)


def kept_apart(fields: Iterable[tuple[str, V]]) -> dict[str, V]:
    """An object of these fields; of names that became equal, the later ones get a number."""
    kept: dict[str, V] = {}
    times: dict[str, int] = {}
    for name, item in fields:
        shown = name
        while shown in kept:
            times[name] = times.get(name, 1) + 1
            shown = f"{name} ({times[name]})"
        kept[shown] = item
    return kept


def normalized(text: str) -> str:
    """NFC, trimmed and case-folded: how addresses and names are compared."""
    return unicodedata.normalize("NFC", text).strip().casefold()
