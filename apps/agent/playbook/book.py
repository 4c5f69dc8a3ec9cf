"""A playbook as a value, and as the JSON of its file (contract §4.5).

    {"version": 1,
     "defaults": {"<prompt key>": "<text>"},
     "lines": {"<builder>": [{"id": "…", "when": "…", "text": "…"}]},
     "phases": {"planning": "…", "last_planning": "…", "answer": "…"},
     "additions": {"<community>": {"<prompt key>": "<text>"}}}

A section that is not in the file says nothing. What a section leaves out keeps Root's own words; what a
community's additions leave out is taken away.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.agent.prompts.guidance import Lines
from apps.agent.prompts.platform import lines_as_json

VERSION: Final = 1
PLATFORM_SECTIONS: Final = ("defaults", "lines", "phases")
SECTIONS: Final = ("version", *PLATFORM_SECTIONS, "additions")

Texts = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Playbook:
    """What a file says. None is a section the file does not have."""

    defaults: Texts | None = None
    lines: Lines | None = None
    phases: Texts | None = None
    additions: Mapping[str, Texts] | None = None

    @property
    def is_platform_wide(self) -> bool:
        """Does it speak of anything but communities' additions?"""
        return any(getattr(self, section) is not None for section in PLATFORM_SECTIONS)


def as_file(playbook: Playbook) -> str:
    """The file's text."""
    written: dict[str, Any] = {"version": VERSION}
    if playbook.defaults is not None:
        written["defaults"] = dict(playbook.defaults)
    if playbook.lines is not None:
        written["lines"] = {builder: lines_as_json(lines) for builder, lines in playbook.lines.items()}
    if playbook.phases is not None:
        written["phases"] = dict(playbook.phases)
    if playbook.additions is not None:
        written["additions"] = {slug: dict(texts) for slug, texts in playbook.additions.items()}
    return json.dumps(written, ensure_ascii=False, indent=2) + "\n"
