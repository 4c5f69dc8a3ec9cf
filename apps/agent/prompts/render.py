"""Filling ``{{name}}`` placeholders in one pass, without a scar where a value is empty (contract §4.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_BRACKETED: Final = re.compile(r' ?\(\s*"?\{\{\s*(\w+)\s*\}\}"?\s*\)')
_BULLETS: Final = " \t-•*"
_GONE: Final = None


def placeholders(template: str) -> frozenset[str]:
    """The names a template asks for."""
    return frozenset(PLACEHOLDER.findall(template))


def render(template: str, values: Mapping[str, str | None]) -> str:
    """The template with its values. What a value itself contains is never looked at again.

    A line, label or heading that an empty value leaves without content goes too; blank lines are evened out
    in the template only, never inside a value.
    """
    lines = [_filled(line, values) for line in template.split("\n")]
    return "\n".join(_evened(_without_orphans(lines)))


def _filled(line: str, values: Mapping[str, str | None]) -> str | None:
    """One line of the template with its values, or ``_GONE`` when nothing is left to say."""
    names = PLACEHOLDER.findall(line)
    if not names:
        return line.rstrip()
    bare = _BRACKETED.sub(lambda found: found.group() if values.get(found[1]) else "", line)
    text = PLACEHOLDER.sub(lambda found: values.get(found[1]) or "", bare)
    if not PLACEHOLDER.sub("", line).strip():
        text = text.strip("\n")
    return _GONE if not any(values.get(name) for name in names) and _says_nothing(text) else text.rstrip()


def _says_nothing(text: str) -> bool:
    said = text.strip(_BULLETS)
    return not said or said.endswith(":")


def _without_orphans(lines: list[str | None]) -> list[str | None]:
    """Drops a heading whose every line went."""
    kept: list[str | None] = []
    for index, line in enumerate(lines):
        orphan = line is not None and line.endswith(":") and _all_gone(lines[index + 1 :])
        kept.append(_GONE if orphan else line)
    return kept


def _all_gone(following: list[str | None]) -> bool:
    """Does the paragraph that starts here consist of nothing but lines that went, at least one?"""
    gone = 0
    for line in following:
        if line is not None:
            return gone > 0 and not line
        gone += 1
    return gone > 0


def _evened(lines: list[str | None]) -> list[str]:
    """At most one blank line in a row, none at either end."""
    kept: list[str] = []
    for line in lines:
        if line is None or (not line and (not kept or not kept[-1])):
            continue
        kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept
