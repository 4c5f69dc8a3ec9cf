"""A tool's own data as lines people can read; what only machines need is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_HEADS = ("display_name", "name", "title", "label", "subject", "room", "door", "event", "question")
_INTERNAL = re.compile(
    r"(?:^|_)(?:id|ids|ref|refs|slug|csv|embedding|token|hash|cursor)$"
    r"|^(?:total_?count|total_?found|count|status|success|is_?empty|empty|guidance)$",
    re.IGNORECASE,
)
_PAIRS = (("start", "end"), ("from", "until"), ("from", "to"), ("begin", "end"))
_LONGEST = 200
_ITEMS = 8
_DEEPEST = 6


@dataclass(kw_only=True)
class Readable:
    facts: list[str] = field(default_factory=list)  # single values
    entries: list[str] = field(default_factory=list)  # things in lists, one line each

    @property
    def has_content(self) -> bool:
        return bool(self.facts or self.entries)


def readable(data: Any) -> Readable:
    told = Readable()
    named: set[str] = set()
    for key, item in data.items() if isinstance(data, dict) else [("", data)]:
        if _INTERNAL.search(key) or item in (None, "", [], {}):
            continue
        if isinstance(item, list) and any(isinstance(entry, dict) for entry in item):
            told.entries += _entries(item, named)
        elif text := _pairs(item) if isinstance(item, dict) else value(item):
            told.facts.append(f"{_name(key)}: {text}" if key else text)
    return told


def value(item: Any, *, depth: int = 0) -> str:
    """Anything as a piece of a line; of an object only what it holds, since the place says what it is."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, list):
        return ", ".join(text for entry in item[:_ITEMS] if (text := value(entry, depth=depth + 1)))
    if isinstance(item, dict):
        shown = (entry for key, entry in _paired(item).items() if not _INTERNAL.search(key))
        return " ".join(text for entry in shown if (text := value(entry, depth=depth + 1)))
    text = "" if item is None else " ".join(str(item).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _pairs(item: dict[str, Any]) -> str:
    """An object among single values: what each of its values is must be said."""
    shown = {key: value(entry) for key, entry in _paired(item).items() if not _INTERNAL.search(key)}
    return "; ".join(f"{_name(key)} {text}" for key, text in list(shown.items())[: 2 * _ITEMS] if text)


def _entries(items: list[Any], named: set[str]) -> list[str]:
    """One line a thing; a second list about the same things adds nothing."""
    found = []
    for item in items:
        head, line = _entry(item) if isinstance(item, dict) else ("", value(item))
        if line and head not in named:
            found.append(line)
        if head:
            named.add(head)
    return found


def _entry(item: dict[str, Any]) -> tuple[str, str]:
    """The name of the thing, and the line: its name, then what is said about it."""
    item = _paired(item)
    key = next((key for key in _HEADS if isinstance(item.get(key), str) and item[key]), "")
    head = value(item.get(key))
    facts = [
        f"{_name(name).lower()} {text}"
        for name, entry in item.items()
        if name != key and not _INTERNAL.search(name) and (text := value(entry))
    ]
    return head, ": ".join(part for part in (head, "; ".join(facts)) if part)


def _paired(item: dict[str, Any]) -> dict[str, Any]:
    """Start and end as one span."""
    for first, last in _PAIRS:
        if isinstance(item.get(first), str | int) and isinstance(item.get(last), str | int):
            rest = {key: entry for key, entry in item.items() if key not in (first, last)}
            return {**rest, "time": f"{item[first]}–{item[last]}"}
    return item


def _name(key: str) -> str:
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").strip()
    return text[:1].upper() + text[1:]
