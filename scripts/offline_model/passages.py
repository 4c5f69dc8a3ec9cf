"""Texts with a source inside tool results, and the sentences they consist of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_TEXTS = ("text", "content", "snippet", "excerpt", "document_text", "message_text", "body", "summary")
_LISTS = ("results", "matches", "passages", "items", "entries", "messages", "threads")
_TITLES = ("title", "page_title", "name", "subject")
_ADDRESSES = ("url", "source_url", "permalink", "link")
_BULLET = re.compile(r"^\s*(?:[-*+•‣]|\d{1,2}[.)])\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”'’)]*\s+(?=[\"“'‘(]?[^\W_a-z])")
_MARKUP = re.compile(r"\*\*|__|`|^#{1,6}\s+|^>\s?")
_RULE = re.compile(r"[\s|:–—-]+")
_LONGEST = 400
_LONGEST_PASSAGE = 20_000


@dataclass(frozen=True)
class Passage:
    text: str
    title: str
    section: str
    url: str

    @property
    def heading(self) -> str:
        name = self.title or "untitled"
        return name if self.section.lower() in name.lower() else f"{name} › {self.section}"

    @property
    def source(self) -> str:
        return f"{self.heading} ({self.url})" if self.url else self.heading

    @cached_property
    def sentences(self) -> list[str]:
        """What the passage says, one statement each: sentences, items with their lead-in, rows of tables."""
        lines = [_MARKUP.sub("", line).strip() for line in self.text[:_LONGEST_PASSAGE].splitlines()]
        lines = [line for line in lines if line and not self._is_heading(line)]
        told = [sentence.strip()[:_LONGEST] for sentence in _statements(lines)]
        return [sentence for sentence in told if len(sentence) > 2]

    def _is_heading(self, line: str) -> bool:
        """Chunks open with the headings they stand under; a heading answers nothing."""
        trail = re.split(r"\s*[›>/»]\s*", line.lower().strip("# "))
        return trail[-1] in {self.title.lower(), self.section.lower(), self.section.lower().split(" › ")[-1]}


def passages(data: Any) -> list[Passage]:
    """Every entry that carries a text of its own, in the order of the search."""
    found = [_passage(entry) for entry in _entry_list(data) if isinstance(entry, dict)]
    return [passage for passage in found if passage is not None]


def _entry_list(data: Any) -> list[Any]:
    if isinstance(data, list):
        return data
    lists = (data.get(name) for name in _LISTS) if isinstance(data, dict) else ()
    return next((found for found in lists if isinstance(found, list)), [])


def _passage(entry: dict[str, Any]) -> Passage | None:
    text = _first(entry, _TEXTS)
    if len(text) < 2:
        return None
    section = _first(entry, ("section", "heading"))
    return Passage(text=text, title=_title(entry), section=section, url=_first(entry, _ADDRESSES))


def _title(entry: dict[str, Any]) -> str:
    """A page has a title; a message has an author and a channel."""
    if title := _first(entry, _TITLES):
        return title
    author = _first(entry, ("user_name", "author", "author_name"))
    channel = _first(entry, ("channel_name", "channel")).lstrip("#")
    return " in ".join(part for part in (author, f"#{channel}" if channel else "") if part)


def _first(entry: dict[str, Any], names: tuple[str, ...]) -> str:
    found = (entry.get(name) for name in names)
    return next((text.strip() for text in found if isinstance(text, str) and text.strip()), "")


def _statements(lines: list[str]) -> list[str]:
    found: list[str] = []
    lead, columns = "", list[str]()
    for number, line in enumerate(lines):
        if "|" in line:
            if _is_head(line, following=lines[number + 1 : number + 2]):
                continue
            columns = columns or _columns(line, following=lines[number + 1 : number + 2])
            found += _row(line, columns)
            continue
        columns = []
        item = _BULLET.sub("", line)
        if item.endswith(":") and item == line:
            lead = item
        elif item != line:
            found.append(f"{lead} {item}".strip())
        else:
            found += _SENTENCE_END.split(item)
            lead = ""
    return found


def _columns(line: str, *, following: list[str]) -> list[str]:
    """The names of a table's columns, when a ruled line follows them."""
    ruled = following and "|" in following[0] and _RULE.fullmatch(following[0])
    return _cells(line) if ruled else []


def _is_head(line: str, *, following: list[str]) -> bool:
    """Root's own passages write each value beside its column's name; the row of mere names says nothing more."""
    names = tuple(f"{name}:" for name in _cells(line) if name)
    values = [value for below in following if "|" in below for value in _cells(below) if value]
    return bool(names and values) and all(value.startswith(names) for value in values)


def _row(line: str, columns: list[str]) -> list[str]:
    cells = _cells(line)
    if _RULE.fullmatch(line) or cells == columns:
        return []
    if len(cells) == 2 and not all(": " in cell for cell in cells):
        return [f"{cells[0]}: {cells[1]}"]
    if len(cells) != len(columns):
        return [" · ".join(cells)]
    return ["; ".join(f"{name}: {cell}" for name, cell in zip(columns, cells, strict=True) if cell)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip(" |").split("|")]
