"""Cuts text that is too long: at sentences or lines, else at words, else anywhere (contract §11.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Fixed-width lookbehinds only: a pattern that first swallows the full stops is quadratic on a page of dots.
_BOUNDARY = re.compile(
    r"\n+|(?<=[.!?…؟।])\s+|(?<=[.!?…؟।][\"'”’»)\]])\s+|(?<=[。！？])(?![」』”’）])\s*|(?<=[。！？][」』”’）])\s*"
)
_JOINERS = "\u200d\ufe0e\ufe0f"
_MAX_BACKTRACK = 16


def split_text(text: str, *, room: int) -> list[str]:
    """Pieces of at most ``room`` characters, in order; only white space at the cuts is lost."""
    pieces: list[str] = []
    start = end = 0
    for sentence_end in _sentence_ends(text, room=room):
        if sentence_end - start > room and end > start:
            pieces.append(text[start:end])
            start = end
        end = sentence_end
    pieces.append(text[start:end])
    return [piece for piece in (piece.strip() for piece in pieces) if piece]


def tail(text: str, *, size: int) -> str:
    """The last whole sentences, or else words, of a text that fit into ``size`` characters; maybe nothing."""
    if len(text) <= size:
        return text
    window = text[-size:]
    found = _BOUNDARY.search(window) or re.search(r"\s+", window)
    return window[found.end() :].strip() if found else ""


def _sentence_ends(text: str, *, room: int) -> Iterator[int]:
    """Positions at which the text may be cut, never further than ``room`` apart."""
    start = 0
    for end in [*(match.end() for match in _BOUNDARY.finditer(text)), len(text)]:
        while end - start > room:
            start = _cut(text, start=start, room=room)
            yield start
        if end > start:
            yield end
            start = end


def _cut(text: str, *, start: int, room: int) -> int:
    """Where to cut a sentence that does not fit: after a word of its second half, else anywhere."""
    limit = start + room
    space = max(text.rfind(" ", start + room // 2, limit), text.rfind("\t", start + room // 2, limit))
    if space > start:
        return space + 1
    cut = limit
    while cut > max(start + 1, limit - _MAX_BACKTRACK) and _sticks(text, cut):
        cut -= 1
    return cut


def _sticks(text: str, position: int) -> bool:
    """Whether the character at a position belongs to the one before it (an accent, part of an emoji)."""
    after, before = text[position], text[position - 1]
    return bool(unicodedata.combining(after)) or after in _JOINERS or before == "\u200d"
