"""A backend's manifest as frozen values (contract §7.3).

Two rules decide what happens to a wrong type. Whatever says who may use what (names, channels, tiers,
``admin_only``, ``core_tools``, source types) must be right or the whole manifest is refused, naming the path:
guessing there would open doors. Everything else is decoration and falls back to being absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from apps.foundation.errors import BadInput
from apps.foundation.wire_json import BadJson, clean_json
from apps.integrations.rootint.reading import Reader
from apps.integrations.rootint.tool_schema import EMPTY_SCHEMA, checked_schema

PROTOCOL_PREFIX = "root-int/"
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_TOOLS = 256
MAX_TIERS = 100
MAX_SECTIONS = 100
MAX_DESTINATIONS = 200
MAX_DESCRIPTION = 4_000
MAX_SECTION = 20_000
MAX_LABEL = 120
MAX_TIMEOUT_SECONDS = 600.0

T = TypeVar("T")


class ManifestError(BadInput):
    """The manifest cannot be used; the sentence names the place."""

    code = "bad_manifest"


@dataclass(frozen=True, slots=True)
class ManifestTool:
    """One tool on offer. ``channels`` None means all; ``tiers`` None means members and every named tier."""

    name: str
    description: str
    parameters: dict[str, Any]
    channels: frozenset[str] | None = None
    tiers: frozenset[str] | None = None
    admin_only: bool = False
    timeout_seconds: float | None = None
    status_label: str | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class AccessTier:
    """A tier of the tenant's vocabulary, and what it narrows."""

    name: str
    core_tools: frozenset[str] | None = None
    knowledge_source_types: frozenset[str] | None = None
    member_scoped: bool = False
    declared_as_object: bool = False


@dataclass(frozen=True, slots=True)
class PromptSection:
    """Text the backend adds to the prompt, for some channels and tiers."""

    content: str
    channels: frozenset[str] | None = None
    tiers: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class LinkDestination:
    """A page the backend can issue personal links to."""

    destination: str
    title: str = ""
    path: str = ""
    prompt_summary: str = ""
    channels: frozenset[str] | None = None
    tiers: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """All a backend says about itself."""

    protocol: str
    name: str = ""
    tools: tuple[ManifestTool, ...] = ()
    access_tiers: tuple[AccessTier, ...] = ()
    prompt_sections: tuple[PromptSection, ...] = ()
    link_destinations: tuple[str, ...] = ()
    link_destination_details: tuple[LinkDestination, ...] = ()
    public_guide_url: str | None = None


def parse_manifest(raw: Any) -> Manifest:
    """The manifest in ``raw`` (any JSON value); raises :class:`ManifestError`."""
    try:
        reader = Reader(clean_json(raw), fail=ManifestError)
    except BadJson as error:
        raise ManifestError(f"The manifest cannot be read: {error}.") from None
    protocol = reader.text("protocol", required=True)
    if not protocol.startswith(PROTOCOL_PREFIX):
        raise ManifestError(f"The manifest's protocol must start with {PROTOCOL_PREFIX}")
    details = _each(reader, "link_destination_details", _detail, limit=MAX_DESTINATIONS)
    return Manifest(
        protocol=protocol[:64],
        name=reader.text("name")[:200],
        tools=_first_of_each_name(_each(reader, "tools", _tool, limit=MAX_TOOLS, strict=True)),
        access_tiers=_first_of_each_name(_tiers(reader)),
        prompt_sections=tuple(
            s for s in _each(reader, "prompt_sections", _section, limit=MAX_SECTIONS) if s.content
        ),
        link_destinations=reader.texts("link_destinations", limit=MAX_DESTINATIONS),
        link_destination_details=tuple(detail for detail in details if detail.destination),
        public_guide_url=reader.web_address("public_guide_url"),
    )


def _each(
    reader: Reader, key: str, read: Callable[[Reader], T], *, limit: int, strict: bool = False
) -> tuple[T, ...]:
    return tuple(read(entry) for entry in reader.objects(key, limit=limit, strict=strict))


def _tool(entry: Reader) -> ManifestTool:
    name = entry.text("name", required=True)
    if not TOOL_NAME.fullmatch(name):
        raise entry.wrong("name", "may have 1 to 64 letters, digits, _ and -")
    return ManifestTool(
        name=name,
        description=entry.text("description", required=True)[:MAX_DESCRIPTION],
        parameters=_parameters(entry),
        channels=entry.names("channels"),
        tiers=entry.names("tiers"),
        admin_only=entry.flag("admin_only"),
        timeout_seconds=_timeout(entry),
        status_label=entry.text("status_label")[:MAX_LABEL].strip() or None,
        read_only=entry.value("read_only") is True,
    )


def _parameters(entry: Reader) -> dict[str, Any]:
    given = entry.value("parameters")
    if given is None:
        return dict(EMPTY_SCHEMA)
    try:
        return checked_schema(given)
    except ValueError as error:
        raise entry.wrong("parameters", str(error)) from None


def _timeout(entry: Reader) -> float | None:
    given = entry.value("timeout_ms")
    if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
        return None
    return float(min(given, MAX_TIMEOUT_SECONDS * 1000)) / 1000


def _tiers(reader: Reader) -> tuple[AccessTier, ...]:
    found = []
    for entry in reader.objects_or_names("access_tiers", limit=MAX_TIERS):
        if isinstance(entry, str):
            found.append(AccessTier(name=entry))
            continue
        found.append(
            AccessTier(
                name=entry.text("name", required=True),
                core_tools=entry.names("core_tools"),
                knowledge_source_types=entry.names("knowledge_source_types"),
                member_scoped=entry.value("member_scoped") is True,
                declared_as_object=True,
            )
        )
    return tuple(found)


def _section(entry: Reader) -> PromptSection:
    return PromptSection(
        content=entry.text("content")[:MAX_SECTION],
        channels=entry.names("channels"),
        tiers=entry.names("tiers"),
    )


def _detail(entry: Reader) -> LinkDestination:
    return LinkDestination(
        destination=entry.text("destination"),
        title=entry.text("title")[:300],
        path=entry.text("path")[:500],
        prompt_summary=entry.text("prompt_summary")[:2_000],
        channels=entry.names("channels"),
        tiers=entry.names("tiers"),
    )


def _first_of_each_name(entries: tuple[T, ...]) -> tuple[T, ...]:
    seen: dict[str, T] = {}
    for entry in entries:
        seen.setdefault(entry.name, entry)  # type: ignore[attr-defined]
    return tuple(seen.values())
