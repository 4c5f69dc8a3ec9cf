"""Character references kept away from the HTML parser, whose time grows with the square of their number.

An ampersand means nothing to the parser while a noncharacter stands for it, so that a reference can neither open a
tag nor complete the scheme of a link. Afterwards each is put back in a form that only ever is text.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5
from typing import Final

_STAND_IN: Final = "\ufdd0"
# Some sites spell letters of an address this way; the parser has to see those to know the scheme.
_SPELLED: Final = re.compile(r"&#(?:[0-9]{1,3}|[xX][0-9a-fA-F]{1,2});")
_HELD_BACK: Final = re.compile(
    rf"{_STAND_IN}(?P<named>(?:#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[a-zA-Z][a-zA-Z0-9]{{1,31}});)?"
)
_STRUCTURAL: Final = frozenset("&<>\"'\xa0")


def without_references(html: str) -> str:
    """The markup without an ampersand in it."""
    return _SPELLED.sub(_letter, html.replace(_STAND_IN, "")).replace("&", _STAND_IN)


def with_references(html: str) -> str:
    """The markup with its references back; an ampersand that begins none becomes one."""
    return _HELD_BACK.sub(_reference, html)


def _letter(found: re.Match[str]) -> str:
    char = unescape(found.group())
    return char if char.isascii() and (char.isalnum() or char in ":@./-_+") else found.group()


def _reference(found: re.Match[str]) -> str:
    named = found["named"] or ""
    if not named.startswith("#") and named not in html5:
        return f"&amp;{named}"
    char = unescape(f"&{named}")
    return char if char.isprintable() and _STRUCTURAL.isdisjoint(char) else f"&{named}"
