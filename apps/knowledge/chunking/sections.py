"""Groups the blocks of a page under the trail of headings that leads to them (contract §11.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from apps.knowledge.chunking.reader import Heading, Piece

CRUMB_CHARS = 80
SEPARATOR = " > "


@dataclass
class Section:
    """Blocks under one trail of headings; a heading with nothing beneath it is a section without blocks."""

    breadcrumb: str
    blocks: list[str] = field(default_factory=list)


@dataclass
class _Crumb:
    level: int
    text: str
    shown: bool = False


def into_sections(pieces: Iterable[Piece]) -> list[Section]:
    """The sections of a page in order. Every heading appears whole in some breadcrumb or as a block."""
    outline = _Outline()
    for piece in pieces:
        if isinstance(piece, Heading):
            outline.enter(piece)
        else:
            outline.add(piece.text)
    return outline.finished()


class _Outline:
    def __init__(self) -> None:
        self._trail: list[_Crumb] = []
        self._sections: list[Section] = []
        self._current: Section | None = None

    def enter(self, heading: Heading) -> None:
        if any(crumb.level >= heading.level for crumb in self._trail):
            self._show_silent()
        self._trail = [crumb for crumb in self._trail if crumb.level < heading.level]
        self._trail.append(_Crumb(heading.level, _shortened(heading.text)))
        self._current = None
        if len(heading.text) > CRUMB_CHARS:
            self.add(heading.text)

    def add(self, text: str) -> None:
        if self._current is None:
            self._current = self._open()
        self._current.blocks.append(text)

    def finished(self) -> list[Section]:
        self._show_silent()
        return self._sections

    def _show_silent(self) -> None:
        """Headings about to leave that no content followed would be lost otherwise."""
        if self._trail and not self._trail[-1].shown:
            self._open()

    def _open(self) -> Section:
        for crumb in self._trail:
            crumb.shown = True
        section = Section(SEPARATOR.join(crumb.text for crumb in self._trail))
        self._sections.append(section)
        return section


def _shortened(text: str) -> str:
    return text if len(text) <= CRUMB_CHARS else text[: CRUMB_CHARS - 1] + "…"
