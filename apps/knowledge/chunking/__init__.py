"""Cuts a page into the pieces that are embedded and searched; pure (contract §11.3)."""

from __future__ import annotations

from dataclasses import dataclass

from apps.knowledge.chunking.packing import JOIN, LIMIT_CHARS, OVERLAP_CHARS, TARGET_CHARS, Body, pack
from apps.knowledge.chunking.reader import read_pieces
from apps.knowledge.chunking.sections import into_sections

MIN_PAGE_CHARS = 20

__all__ = [
    "LIMIT_CHARS",
    "MIN_PAGE_CHARS",
    "OVERLAP_CHARS",
    "TARGET_CHARS",
    "Chunk",
    "chunk_html",
    "text_of",
]


@dataclass(frozen=True)
class Chunk:
    """One piece of a page: its heading trail, and the text below it."""

    index: int
    heading: str
    body: str
    overlap: int

    @property
    def text(self) -> str:
        """What is stored and searched."""
        return JOIN.join(part for part in (self.heading, self.body) if part)


def chunk_html(html: str) -> list[Chunk]:
    """The chunks of a page in order; none when it has less than 20 characters of text."""
    pieces = read_pieces(html)
    if sum(len(piece.text) for piece in pieces) < MIN_PAGE_CHARS:
        return []
    bodies = [
        (section.breadcrumb, body)
        for section in into_sections(pieces)
        for body in (pack(section) or [Body("")])
    ]
    return [
        Chunk(index=index, heading=heading, body=body.text, overlap=body.overlap)
        for index, (heading, body) in enumerate(bodies)
    ]


def text_of(html: str) -> str:
    """The visible text of a page, a blank line between blocks."""
    return JOIN.join(piece.text for piece in read_pieces(html))
