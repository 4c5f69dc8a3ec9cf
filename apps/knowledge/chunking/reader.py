"""Reads HTML into headings and blocks, in order, losing no visible text (contract §11.3).

The parser reports events instead of building a tree: libxml2's tree silently comes back empty when markup is
nested a few thousand deep, its events do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from lxml import etree

from apps.foundation.text import clean
from apps.knowledge.chunking.prose import Prose
from apps.knowledge.chunking.tables import Table

HEADINGS = {f"h{level}": level for level in range(1, 7)}
ATOMIC = frozenset({"p", "pre", "blockquote", "ul", "ol", "table", "dl", "figure"})
INVISIBLE = frozenset({"script", "style", "noscript", "template", "iframe", "object", "title"})
BREAKS = frozenset(
    """
    address article aside caption center dd details dialog div dt fieldset figcaption footer form header hr li
    main nav option section select summary tbody td tfoot th thead tr
    """.split()  # noqa: SIM905
)
MAX_INDENT = 6


@dataclass(frozen=True)
class Heading:
    """A heading; what follows belongs to it until one of the same or a higher level."""

    level: int
    text: str


@dataclass(frozen=True)
class Block:
    """A piece of content that stays together when it fits."""

    text: str


Piece = Heading | Block


def read_pieces(html: str) -> list[Piece]:
    """The headings and blocks of a page; malformed or hostile markup gives its text."""
    if not html.strip():
        return []
    events = _Events()
    parser = etree.HTMLParser(
        target=cast(Any, events),
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,
        no_network=True,
    )
    parser.feed(clean(html).encode())
    parser.close()
    return events.pieces


@dataclass
class _Lists:
    """Bullets and numbers of the lists that are open."""

    open: list[int | None] = field(default_factory=list)

    def begin(self, tag: str, *, start: str) -> None:
        digits = start.strip()
        first = int(digits) if digits.isdecimal() and len(digits) < 7 else 1
        self.open.append(first if tag == "ol" else None)

    def end(self) -> None:
        if self.open:
            self.open.pop()

    def marker(self) -> str:
        indent = "  " * min(len(self.open) - 1, MAX_INDENT)
        number = self.open[-1] if self.open else None
        if number is None:
            return f"{indent}- "
        self.open[-1] = number + 1
        return f"{indent}{number}. "


class _Events:
    """The parser's target: knows which block, heading, list and table the text now coming belongs to."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._prose = Prose()
        self._sink = self._prose
        self._heading: int | None = None
        self._depth = dict.fromkeys(("atomic", "pre", "hidden", "table"), 0)
        self._lists = _Lists()
        self._table: Table | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in INVISIBLE:
            self._depth["hidden"] += 1
        elif tag in HEADINGS:
            self._start_heading(HEADINGS[tag])
        elif tag in ATOMIC:
            self._start_atomic(tag, attributes)
        elif self._table is not None and tag in {"tr", "td", "th", "caption"}:
            self._start_table_part(tag, attributes)
        elif tag == "li":
            self._sink.mark(self._lists.marker())
        elif tag == "br":
            self._sink.newline()
        elif tag in BREAKS:
            self._break()

    def end(self, tag: str) -> None:
        if tag in INVISIBLE:
            self._depth["hidden"] = max(0, self._depth["hidden"] - 1)
        elif tag in HEADINGS:
            self._end_heading()
        elif tag in ATOMIC:
            self._end_atomic(tag)
        elif self._table is not None and tag in {"td", "th", "caption"} and self._depth["table"] == 1:
            self._sink = self._table.sink() if tag == "caption" else self._sink
        elif tag in BREAKS:
            self._break()

    def data(self, data: str) -> None:
        if not self._depth["hidden"]:
            self._sink.add(data, verbatim=self._depth["pre"] > 0)

    def close(self) -> None:
        self._depth["table"] = min(self._depth["table"], 1)
        self._end_table()
        self._flush()

    def _break(self) -> None:
        if self._depth["atomic"] or self._heading is not None:
            self._sink.newline()
        else:
            self._flush()

    def _start_heading(self, level: int) -> None:
        if self._depth["atomic"]:
            self._sink.newline()
            return
        self._flush()
        self._heading = level

    def _end_heading(self) -> None:
        if self._depth["atomic"]:
            self._sink.newline()
        else:
            self._flush()

    def _start_atomic(self, tag: str, attributes: dict[str, str]) -> None:
        if self._depth["atomic"] == 0:
            # Also ends a heading whose end tag is missing; all that follows would be its text.
            self._flush()
        self._depth["atomic"] += 1
        self._sink.newline()
        if tag == "pre":
            self._depth["pre"] += 1
        elif tag in {"ul", "ol"}:
            self._lists.begin(tag, start=attributes.get("start", ""))
        elif tag == "table":
            self._start_table()

    def _end_atomic(self, tag: str) -> None:
        self._depth["atomic"] = max(0, self._depth["atomic"] - 1)
        if tag == "pre":
            self._depth["pre"] = max(0, self._depth["pre"] - 1)
        elif tag in {"ul", "ol"}:
            self._lists.end()
        elif tag == "table":
            self._end_table()
        if self._depth["atomic"]:
            self._sink.newline()
        else:
            self._flush()

    def _start_table(self) -> None:
        self._depth["table"] += 1
        if self._depth["table"] == 1:
            self._table = Table()
            self._sink = self._table.sink()

    def _start_table_part(self, tag: str, attributes: dict[str, str]) -> None:
        assert self._table is not None
        if self._depth["table"] > 1:
            self._sink.newline() if tag == "tr" else self._sink.add(" ")
        elif tag == "tr":
            self._table.open_row()
        elif tag == "caption":
            self._sink = self._table.sink()
        else:
            self._sink = self._table.open_cell(
                header=tag == "th", columns=attributes.get("colspan"), rows=attributes.get("rowspan")
            )

    def _end_table(self) -> None:
        self._depth["table"] = max(0, self._depth["table"] - 1)
        if self._depth["table"] == 0 and self._table is not None:
            self._sink = self._prose
            self._prose.newline()
            self._prose.add(self._table.render(), verbatim=True)
            self._table = None

    def _flush(self) -> None:
        text = self._prose.take()
        level, self._heading = self._heading, None
        if text:
            self.pieces.append(Block(text) if level is None else Heading(level, " ".join(text.split())))
