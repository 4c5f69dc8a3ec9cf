"""Checking one text: that it is one, that it fits, and what it asks to have filled in (contract §4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from apps.agent.playbook.findings import Findings, listed
from apps.agent.prompts.facts import PromptFacts
from apps.agent.prompts.registry import BASE, prompt
from apps.agent.prompts.render import PLACEHOLDER, placeholders
from apps.agent.prompts.sections import SLOTS
from apps.agent.prompts.values import short_values
from apps.foundation.text import clean

LONGEST_TEXT: Final = 40_000
_BRACES: Final = re.compile(r"\{\{|\}\}")


def text_at(where: str, value: Any, findings: Findings, *, limit: int = LONGEST_TEXT) -> str | None:
    """The text as it will be kept, or None with an error."""
    if not isinstance(value, str):
        findings.error(where, "must be text.")
        return None
    text = clean(value).replace("\r\n", "\n").strip("\n")
    if len(text) > limit:
        findings.error(where, f"has {len(text):,} characters; at most {limit:,} are possible.")
        return None
    return text


def check_default(where: str, key: str, text: str, findings: Findings) -> None:
    """A default may ask for what its place supplies, and loses what it no longer asks for."""
    entry = prompt(key)
    check_placeholders(where, text, findings, allowed=allowed_in(key), before=entry.placeholders)
    if not text.strip() and entry.default:
        if key == BASE or entry.group == "internal":
            findings.error(where, "must not be empty.")
        else:
            findings.warn(where, "is empty, so its rules are gone.")
    if key == BASE:
        _check_slots(where, text, findings)


def check_placeholders(
    where: str, text: str, findings: Findings, *, allowed: Iterable[str], before: Iterable[str]
) -> None:
    """Unknown ones would stay empty or reach the model as they are; lost ones leave something unsaid."""
    asked = placeholders(text)
    if strange := asked - set(allowed):
        findings.error(where, f"asks for what nothing fills: {_in_braces(strange)}.")
    if _BRACES.search(PLACEHOLDER.sub("", text)):
        findings.error(where, "has double braces that are no placeholder such as {{userName}}.")
    if lost := set(before) - asked:
        findings.warn(where, f"no longer asks for {_in_braces(lost)}.")


def check_addition(where: str, key: str, text: str, findings: Findings) -> None:
    """An addition is a community's own text: what it asks for in vain stays empty, as everywhere."""
    if strange := placeholders(text) - allowed_in(key):
        findings.warn(where, f"asks for what nothing fills: {_in_braces(strange)}.")


def allowed_in(key: str) -> frozenset[str]:
    """The placeholders that are filled in this text. Internal prompts get their own only."""
    entry = prompt(key)
    return entry.placeholders if entry.group == "internal" else entry.placeholders | _short_names()


@cache
def _short_names() -> frozenset[str]:
    return frozenset(short_values(PromptFacts(channel="api", tier="", now=datetime(2000, 1, 1, tzinfo=UTC))))


def _check_slots(where: str, text: str, findings: Findings) -> None:
    """A slot is a whole section: it is filled where it has a line to itself, and only there."""
    inline: set[str] = set()
    seen: list[str] = []
    for line in text.split("\n"):
        found = [name for name in PLACEHOLDER.findall(line) if name in SLOTS]
        seen += found
        if found and not PLACEHOLDER.fullmatch(line.strip()):
            inline |= set(found)
    if inline:
        findings.error(where, f"must give each of these a line of its own: {_in_braces(inline)}.")
    if twice := {name for name in seen if seen.count(name) > 1}:
        findings.warn(where, f"holds these more than once: {_in_braces(twice)}.")


def _in_braces(names: Iterable[str]) -> str:
    return listed(f"{{{{{name}}}}}" for name in names)
