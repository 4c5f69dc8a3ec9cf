"""A table as lines a person or a model can read one by one (contract §11.3).

Under a header row each value is written beside its column's name, so that a line cut off from the rest still
says what it is about.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.knowledge.chunking.prose import Prose

MAX_SPAN = 200
MAX_COLUMNS = 200
REPEATED_CHARS = 80
REPEATED_TOTAL = 50_000


@dataclass
class Cell:
    """One cell while it is being read."""

    header: bool
    columns: int = 1
    rows: int = 1
    prose: Prose = field(default_factory=Prose)


@dataclass
class Table:
    """Rows as they come; text outside any cell becomes a line of its own, in its place."""

    lines: list[list[Cell] | Prose] = field(default_factory=list)

    def sink(self) -> Prose:
        """Where text outside a cell goes."""
        if not self.lines or isinstance(self.lines[-1], list):
            self.lines.append(Prose())
        last = self.lines[-1]
        assert isinstance(last, Prose)
        return last

    def open_row(self) -> None:
        self.lines.append([])

    def open_cell(self, *, header: bool, columns: str | None, rows: str | None) -> Prose:
        """A new cell in the current row, or in a new row when the markup forgot one."""
        if not self.lines or not isinstance(self.lines[-1], list):
            self.open_row()
        row = self.lines[-1]
        assert isinstance(row, list)
        cell = Cell(header=header, columns=_span(columns), rows=_span(rows))
        row.append(cell)
        return cell.prose

    def render(self) -> str:
        """The whole table as lines."""
        return "\n".join(line for line in _Rendering().lines(self.lines) if line)


class _Rendering:
    """Walks the rows once, knowing the column names and the cells that reach down from above."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._reaching: dict[int, tuple[int, str]] = {}
        self._body_seen = False
        self._budget = REPEATED_TOTAL

    def lines(self, lines: list[list[Cell] | Prose]) -> list[str]:
        return [self._row(line) if isinstance(line, list) else line.take() for line in lines]

    def _row(self, row: list[Cell]) -> str:
        values = [(column, value) for column, value in self._place(row) if value]
        if row and not self._body_seen and all(cell.header for cell in row):
            for column, value in values:
                self._names[column] = f"{self._names.get(column, '')} {value}".strip()
            return " | ".join(value for _, value in values)
        self._body_seen = self._body_seen or bool(row)
        return " | ".join(self._labelled(column, value) for column, value in values)

    def _place(self, row: list[Cell]) -> list[tuple[int, str]]:
        """Each value with the column it stands in, those reaching down from rows above included."""
        above, self._reaching = self._reaching, {}
        placed: list[tuple[int, str]] = []
        column = 0
        for cell in row:
            while column in above:
                placed.append((column, self._reach(column, above.pop(column))))
                column += 1
            text = " ".join(cell.prose.take().split())
            placed.append((column, text))
            self._reach_from(column, cell, text=text)
            column += cell.columns
        placed += [(column, self._reach(column, above[column])) for column in sorted(above)]
        return placed

    def _reach(self, column: int, remaining: tuple[int, str]) -> str:
        rows, text = remaining
        if rows > 1:
            self._reaching[column] = (rows - 1, text)
        return text if self._afford(text) else ""

    def _reach_from(self, column: int, cell: Cell, *, text: str) -> None:
        if cell.rows == 1:
            return
        for taken in range(column, min(column + cell.columns, MAX_COLUMNS)):
            self._reaching[taken] = (cell.rows - 1, text if taken == column else "")

    def _labelled(self, column: int, value: str) -> str:
        name = self._names.get(column, "")
        return f"{name}: {value}" if name and name != value and self._afford(name) else value

    def _afford(self, text: str) -> bool:
        """Repeating is for short texts and within reason: a hostile table must not grow many times over."""
        if len(text) > REPEATED_CHARS or self._budget < len(text):
            return False
        self._budget -= len(text)
        return True


def _span(value: str | None) -> int:
    digits = (value or "").strip()
    return min(max(int(digits), 1), MAX_SPAN) if digits.isdecimal() and len(digits) < 7 else 1
