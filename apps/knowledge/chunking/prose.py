"""Collects the text of one block, white space folded as a browser would fold it."""

from __future__ import annotations

import re

from apps.foundation.text import clean

_WHITE = re.compile(r"\s+")
_GAP = re.compile(r"\n{3,}")


class Prose:
    """A growing piece of text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last = "\n"
        self._marker = ""

    def add(self, data: str, *, verbatim: bool = False) -> None:
        """Appends character data; ``verbatim`` keeps its white space (inside PRE)."""
        piece = data if verbatim else _WHITE.sub(" ", data)
        if not verbatim and self._last in " \n":
            piece = piece.lstrip(" ")
        self._put(piece)

    def newline(self) -> None:
        """Starts a new line, unless one has just been started."""
        if self._last != "\n":
            self._put("\n")

    def mark(self, marker: str) -> None:
        """Starts a line with a marker of ours, written only if text follows it."""
        self.newline()
        self._marker = marker

    def take(self) -> str:
        """The finished text; the collector is empty afterwards."""
        lines = clean("".join(self._parts)).split("\n")
        self._parts, self._last, self._marker = [], "\n", ""
        return _GAP.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()

    def _put(self, piece: str) -> None:
        if piece:
            self._parts += (self._marker, piece)
            self._marker = ""
            self._last = piece[-1]
