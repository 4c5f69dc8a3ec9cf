"""The wording of the whole platform: Root's own, with what a playbook put in its place (contract §2.2, §4.5)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Final

from apps.agent.kernel.phases import PhaseTexts
from apps.agent.prompts.guidance import GuidanceLine, Lines, built_in_lines
from apps.agent.prompts.registry import prompts
from apps.agent.prompts.wording import Wording, built_in_wording
from apps.tenancy.platform_settings import platform_setting, save_platform_setting, stored_setting

SETTING: Final = "playbook"
PHASES: Final = tuple(field.name for field in fields(PhaseTexts))

logger = logging.getLogger(__name__)


def platform_wording() -> Wording:
    """The words in force before any community adds to them, at most a minute old."""
    return platform_setting(SETTING, view=_merged)


def stored_platform_wording() -> Wording:
    """The same as it is stored now, past the cache: for those who change it."""
    return _merged(stored_setting(SETTING))


def save_platform_wording(wording: Wording) -> None:
    """Keeps what differs from Root's own words; the rest goes on following them."""
    own = built_in_wording()
    kept = {
        "defaults": {key: text for key, text in wording.defaults.items() if text != own.default(key)},
        "lines": {
            builder: lines_as_json(lines)
            for builder, lines in wording.lines.items()
            if lines != own.lines[builder]
        },
        "phases": {
            name: getattr(wording.phases, name)
            for name in PHASES
            if getattr(wording.phases, name) != getattr(own.phases, name)
        },
    }
    save_platform_setting(SETTING, kept if any(kept.values()) else None)


def lines_as_json(lines: Iterable[GuidanceLine]) -> list[dict[str, str]]:
    """Lines as a file or a row holds them."""
    return [{"id": line.id, "when": line.when, "text": line.text} for line in lines]


def _merged(stored: Any) -> Wording:
    """Tolerant on purpose: a row written by an older Root must not take every agent down."""
    own = built_in_wording()
    parts = stored if isinstance(stored, dict) else {}
    phases = {name: text for name, text in _texts(parts, "phases").items() if name in PHASES}
    return Wording(
        defaults=MappingProxyType(
            {**own.defaults, **{k: text for k, text in _texts(parts, "defaults").items() if k in prompts()}}
        ),
        lines=_lines(parts.get("lines")),
        phases=replace(own.phases, **phases),
    )


def _texts(parts: Mapping[str, Any], name: str) -> dict[str, str]:
    found = parts.get(name)
    return {k: text for k, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}


def _lines(stored: Any) -> Lines:
    merged = dict(built_in_lines())
    for builder, entries in stored.items() if isinstance(stored, dict) else ():
        try:
            read = tuple(_line(entry) for entry in entries)
        except (ValueError, TypeError, KeyError):
            logger.warning("the stored lines of %s cannot be read; Root's own are used", builder)
            continue
        if builder in merged:
            merged[builder] = read
    return MappingProxyType(merged)


def _line(entry: Mapping[str, Any]) -> GuidanceLine:
    name, when, text = entry["id"], entry["when"], entry["text"]
    if not (isinstance(name, str) and isinstance(when, str) and isinstance(text, str)):
        raise TypeError("a line is made of texts")
    return GuidanceLine(name, when, text)
