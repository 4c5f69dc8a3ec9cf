"""What people wrote, out of what Slack sends; pure (contract §8.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from apps.foundation.text import clean, one_line

MAX_CHARS: Final = 40_000
_NOBODY: Final[Mapping[str, str]] = MappingProxyType({})
_MARKS: Final = re.compile(r"<([^<>]*)>")
_ENTITY: Final = re.compile(r"&(amp|lt|gt);")
_MEANT: Final = {"amp": "&", "lt": "<", "gt": ">"}
_PERSON: Final = re.compile(r"<@([A-Z0-9]{2,40})(?:\|[^<>]*)?>")
_CHANNEL: Final = re.compile(r"<#([A-Z0-9]{2,40})\|?>")
_SCHEME: Final = re.compile(r"(?:https?|mailto|tel|ftp):(?://)?", re.IGNORECASE)


def plain(text: str, *, users: Mapping[str, str] = _NOBODY, channels: Mapping[str, str] = _NOBODY) -> str:
    """Mentions by name, links beside their labels, entities as they are meant; nothing is decoded twice."""
    given = clean(text)[:MAX_CHARS]
    parts, at = [], 0
    for found in _MARKS.finditer(given):
        parts.append(_unescaped(given[at : found.start()]))
        parts.append(_mark(found[1], users=users, channels=channels))
        at = found.end()
    return "".join([*parts, _unescaped(given[at:])]).strip()


def people_in(text: str) -> Iterator[str]:
    """The ids of those a text mentions."""
    return (found[1] for found in _PERSON.finditer(text[:MAX_CHARS]))


def channels_in(text: str) -> Iterator[str]:
    """The ids of channels it names without saying what they are called."""
    return (found[1] for found in _CHANNEL.finditer(text[:MAX_CHARS]))


def _mark(inside: str, *, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    head, _, label = inside.partition("|")
    label = one_line(_unescaped(label), limit=1_000)
    if head.startswith("@"):
        return "@" + (users.get(head[1:]) or label or head[1:]).lstrip("@")
    if head.startswith("#"):
        return "#" + (label or channels.get(head[1:]) or head[1:]).lstrip("#")
    if head.startswith("!"):
        # A group or a date says in its label how it is to be shown; the others are words of Slack's own.
        return label or "@" + head[1:].partition("^")[0]
    return _link(_unescaped(head), label)


def _link(address: str, label: str) -> str:
    bare = re.sub(r"^(?:mailto|tel):", "", address, flags=re.IGNORECASE)
    if (
        not label
        or label in (address, bare)
        or _SCHEME.sub("", bare, count=1).rstrip("/") == label.rstrip("/")
    ):
        return bare
    return f"{label} ({bare})"


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda found: _MEANT[found[1]], text)
