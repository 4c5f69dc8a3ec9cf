"""A playbook's file, read and checked as a whole before anything is changed (contract §4.5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.agent.kernel.phases import BUILT_IN
from apps.agent.playbook.book import SECTIONS, VERSION, Playbook
from apps.agent.playbook.findings import Findings, place, unknown
from apps.agent.playbook.lines import read_lines
from apps.agent.playbook.texts import check_addition, check_default, check_placeholders, text_at
from apps.agent.prompts.platform import PHASES
from apps.agent.prompts.registry import prompts
from apps.agent.prompts.render import PLACEHOLDER, placeholders
from apps.agent.prompts.store import LONGEST_ADDITION
from apps.foundation.errors import BadInput
from apps.foundation.text import clean
from apps.foundation.wire_json import BadJson, clean_json

LONGEST_FILE: Final = 5_000_000
LONGEST_PHASE: Final = 10_000


@dataclass(frozen=True)
class Reading:
    """What the file says as far as it could be read, and what was found."""

    playbook: Playbook
    findings: Findings


def read_playbook(data: bytes) -> Reading:
    """Reads a whole file; raises :class:`BadInput` for one that is no playbook at all."""
    written = _object(data)
    findings = Findings()
    for name in written.keys() - set(SECTIONS):
        findings.error(place(name), unknown("section of a playbook", SECTIONS, given=name))
    if written.get("version") != VERSION or isinstance(written.get("version"), bool):
        findings.error("version", f"must be {VERSION}, the only one this Root reads.")
    playbook = Playbook(
        defaults=_section(written, "defaults", _default, findings),
        lines=_section(written, "lines", read_lines, findings),
        phases=_section(written, "phases", _phase, findings),
        additions=_section(written, "additions", _additions, findings),
    )
    return Reading(playbook, findings)


def _object(data: bytes) -> dict[str, Any]:
    if len(data) > LONGEST_FILE:
        raise BadInput(f"A playbook has at most {LONGEST_FILE:,} bytes.")
    try:
        written = clean_json(json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once))
    except BadJson as error:
        raise BadInput(f"This is no playbook: {error}.") from None
    except (ValueError, RecursionError):
        raise BadInput("This is no playbook: it is not JSON in UTF-8.") from None
    if not isinstance(written, dict):
        raise BadInput("This is no playbook: a playbook is a JSON object.")
    return written


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON readers keep the last of two equal names without a word; a text would be lost."""
    read = {clean(name): value for name, value in pairs}
    if len(read) < len(pairs):
        raise BadJson("a name stands in it twice in the same object")
    return read


def _section(
    written: Mapping[str, Any], name: str, read: Callable[[str, Any, Findings], Any], findings: Findings
) -> dict[str, Any] | None:
    """A section's readable entries; None when the file does not have it."""
    if name not in written:
        return None
    entries = written[name]
    if not isinstance(entries, dict):
        findings.error(name, "must be an object.")
        return None
    found = {key: read(key, value, findings) for key, value in entries.items()}
    return {key: value for key, value in found.items() if value is not None}


def _default(key: str, value: Any, findings: Findings) -> str | None:
    where = place("defaults", key)
    if key not in prompts():
        findings.error(where, unknown("prompt", prompts(), given=key))
        return None
    text = text_at(where, value, findings)
    if text is not None:
        check_default(where, key, text, findings)
    return text


def _phase(name: str, value: Any, findings: Findings) -> str | None:
    where = place("phases", name)
    if name not in PHASES:
        findings.error(where, unknown("phase", PHASES, given=name))
        return None
    text = text_at(where, value, findings, limit=LONGEST_PHASE)
    if text is None:
        return None
    # The kernel fills these by their exact spelling.
    text = PLACEHOLDER.sub(lambda found: f"{{{{{found[1]}}}}}", text)
    own = placeholders(getattr(BUILT_IN, name))
    allowed = frozenset() if name == "answer" else placeholders(BUILT_IN.planning)
    check_placeholders(where, text, findings, allowed=allowed, before=own)
    if not text.strip():
        findings.error(where, "must not be empty.")
    return text


def _additions(slug: str, value: Any, findings: Findings) -> dict[str, str] | None:
    if not isinstance(value, dict):
        findings.error(place("additions", slug), "must be an object.")
        return None
    found = {key: _addition(slug, key, text, findings) for key, text in value.items()}
    return {key: text for key, text in found.items() if text}


def _addition(slug: str, key: str, value: Any, findings: Findings) -> str | None:
    where = place("additions", slug, key)
    if key not in prompts():
        findings.error(where, unknown("prompt", prompts(), given=key))
        return None
    text = text_at(where, value, findings, limit=LONGEST_ADDITION)
    if text is None:
        return None
    check_addition(where, key, text, findings)
    return text.strip()
