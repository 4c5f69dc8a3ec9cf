"""Checking the lines of the guidance builders (contract §4.5, §A.7)."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from apps.agent.playbook.findings import Findings, listed, place, unknown
from apps.agent.playbook.texts import text_at
from apps.agent.prompts.guidance import FACTS, NAMES, GuidanceLine, built_in_lines

LONGEST_LINE: Final = 8_000
_FIELDS: Final = ("id", "when", "text")
# Without its fact such a name is filled with nothing.
_FACT_BEHIND: Final = {
    "create": "@create",
    "list": "@list",
    "delete": "@delete",
    "rootGuideUrl": "@guide_url",
}
_NAME: Final = re.compile(r"\{(\w+)\}")


def read_lines(builder: str, value: Any, findings: Findings) -> tuple[GuidanceLine, ...] | None:
    """The builder's lines in the file's order, or None with errors."""
    where, faults = place("lines", builder), len(findings.wrong)
    if builder not in built_in_lines():
        findings.error(where, unknown("builder", built_in_lines(), given=builder))
    elif not isinstance(value, list):
        findings.error(where, "must be a list of lines.")
    else:
        read = [_read(place("lines", builder, n), builder, entry, findings) for n, entry in enumerate(value)]
        lines = tuple(line for line in read if line is not None)
        _compare(where, builder, [line.id for line in lines], findings)
        return lines if len(findings.wrong) == faults else None
    return None


def _read(where: str, builder: str, entry: Any, findings: Findings) -> GuidanceLine | None:
    if not isinstance(entry, dict):
        findings.error(where, "must be an object with id, when and text.")
        return None
    if strange := entry.keys() - set(_FIELDS):
        findings.error(where, f"has a field no line has: {listed(strange)}.")
    name, when, text = (
        text_at(f"{where}.{field}", entry.get(field), findings, limit=LONGEST_LINE) for field in _FIELDS
    )
    if name is None or when is None or text is None:
        return None
    try:
        line = GuidanceLine(name, " ".join(when.split()), text)
    except ValueError:
        findings.error(f"{where}.when", "is no condition; it lists tool names, a|b, !a and @facts.")
        return None
    _check(where, builder, line, findings)
    return line


def _check(where: str, builder: str, line: GuidanceLine, findings: Findings) -> None:
    own = {each.id: each for each in built_in_lines()[builder]}
    if line.id not in own:
        findings.error(f"{where}.id", unknown("line of this builder", own, given=line.id))
        return
    if strange := _facts(line) - FACTS[builder]:
        findings.error(f"{where}.when", f"asks about a fact this builder does not know: {listed(strange)}.")
    if not line.text.strip():
        findings.error(f"{where}.text", "must not be empty; leave the whole line out instead.")
    _check_names(f"{where}.text", builder, line, own[line.id].text, findings)


def _check_names(where: str, builder: str, line: GuidanceLine, before: str, findings: Findings) -> None:
    asked, fills = set(_NAME.findall(line.text)), NAMES[builder]
    if "{{" in line.text or asked - fills:
        known = listed(map(_braced, fills)) or "nothing"
        findings.error(where, f"asks for what nothing fills; this builder fills {known}.")
    if lost := set(_NAME.findall(before)) - asked:
        findings.warn(where, f"no longer asks for {listed(map(_braced, lost))}.")
    if bare := {name for name in asked if _FACT_BEHIND.get(name, "") not in ["", *line.when.split()]}:
        findings.warn(
            where,
            f"is empty in places: its condition does not require {listed(_FACT_BEHIND[n] for n in bare)}.",
        )


def _braced(name: str) -> str:
    return f"{{{name}}}"


def _facts(line: GuidanceLine) -> frozenset[str]:
    terms = (name.removeprefix("!") for term in line.when.split() for name in term.split("|"))
    return frozenset(term for term in terms if term.startswith("@"))


def _compare(where: str, builder: str, ids: list[str], findings: Findings) -> None:
    if twice := {name for name, count in Counter(ids).items() if count > 1}:
        findings.error(where, f"has a line more than once: {listed(twice)}.")
    if gone := {line.id for line in built_in_lines()[builder]} - set(ids):
        findings.warn(where, f"leaves out lines, so their rules are gone: {listed(gone)}.")
