"""Packs the blocks of a section into chunks near the target size, each repeating the end of the last."""

from __future__ import annotations

from dataclasses import dataclass

from apps.knowledge.chunking.sections import Section
from apps.knowledge.chunking.splitting import split_text, tail

TARGET_CHARS = 1500
OVERLAP_CHARS = 200
# A block is cut only when it is longer than this; no chunk is.
LIMIT_CHARS = int(TARGET_CHARS * 1.5)
JOIN = "\n\n"


@dataclass(frozen=True)
class Body:
    """A chunk below its breadcrumb; its first ``overlap`` characters stand in the chunk before too."""

    text: str
    overlap: int = 0


def pack(section: Section) -> list[Body]:
    """The chunk bodies of one section, in order."""
    overhead = len(section.breadcrumb) + len(JOIN)
    packing = _Packing(room=TARGET_CHARS - overhead, limit=LIMIT_CHARS - overhead)
    for block in section.blocks:
        whole = len(block) <= packing.limit
        for piece in [block] if whole else split_text(block, room=packing.room):
            packing.add(piece)
    return packing.finished()


class _Packing:
    def __init__(self, *, room: int, limit: int) -> None:
        self.room = room
        self.limit = limit
        self._bodies: list[Body] = []
        self._overlap = ""
        self._pieces: list[str] = []
        self._size = 0

    def add(self, piece: str) -> None:
        if self._pieces and self._size + len(JOIN) + len(piece) > self.room:
            self._close()
            overlap = tail(self._bodies[-1].text, size=OVERLAP_CHARS)
            if overlap and len(overlap) + len(JOIN) + len(piece) <= self.limit:
                self._overlap, self._size = overlap, len(overlap)
        self._size += len(piece) + (len(JOIN) if self._size else 0)
        self._pieces.append(piece)

    def finished(self) -> list[Body]:
        if self._pieces:
            self._close()
        return self._bodies

    def _close(self) -> None:
        start = self._overlap + JOIN if self._overlap else ""
        self._bodies.append(Body(start + JOIN.join(self._pieces), overlap=len(start)))
        self._overlap, self._pieces, self._size = "", [], 0
