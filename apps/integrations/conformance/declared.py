"""Is what a backend says about itself usable, and does it mean what it says? (contract §7.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from apps.foundation.wire_json import BadJson
from apps.integrations.conformance.calling import signed
from apps.integrations.conformance.report import Finding, advice, failed, held, passed
from apps.integrations.models import Integration
from apps.integrations.rootint.manifest import (
    MAX_LABEL,
    LinkDestination,
    Manifest,
    ManifestError,
    ManifestTool,
    PromptSection,
    parse_manifest,
)
from apps.integrations.rootint.tool_schema import checked_schema
from apps.tenancy.tiers import is_reserved

CHANNELS = frozenset({"slack", "email", "api", "web"})
ADMIN = "__admin__"


class Unusable(Exception):
    """There is no manifest to go on with; carries the findings that say why."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__()
        self.findings = findings


def fetched(row: Integration) -> Any:
    """The manifest as it came; raises :class:`Unusable`."""
    heard = signed(row, "manifest")
    if not heard.good:
        raise Unusable(failed("manifest.fetched", heard.shown()))
    try:
        return heard.json()
    except BadJson as error:
        raise Unusable(failed("manifest.fetched", f"{error}: {heard.shown()}")) from None


def read(raw: Any) -> Manifest:
    """The manifest in our reading; raises :class:`Unusable`."""
    try:
        return parse_manifest(raw)
    except ManifestError as error:
        raise Unusable(failed("manifest.valid", error.message), *schemas(raw)) from None


def check_manifest(raw: Any, manifest: Manifest) -> Iterator[Finding]:
    """A manifest that can be read, against what its parts must mean to each other."""
    yield passed("manifest.fetched")
    yield passed("manifest.valid", f"{len(manifest.tools)} tools, protocol {manifest.protocol}")
    if not manifest.tools:
        yield advice("manifest.tools", "offers no tools; Root can only ask it who people are")
    yield held("manifest.unique_names", _repeated(raw))
    yield held("manifest.channels", _strange_channels(manifest))
    yield held("tiers.declared", _strange_tiers(manifest))
    yield from _tools_nobody_gets(manifest)
    yield from schemas(raw)
    yield from _decoration(raw)


def known_tiers(manifest: Manifest) -> frozenset[str]:
    """Every tier a person of this backend may hold."""
    return frozenset(tier.name for tier in manifest.access_tiers)


def schemas(raw: Any) -> Iterator[Finding]:
    """Each tool's parameters on their own, so that all faulty ones are told at once."""
    for name, entry in _entries(raw):
        try:
            checked_schema(entry.get("parameters") or {})
        except ValueError as error:
            yield failed(f"tool.{name}.schema", f"parameters {error}")
        else:
            yield passed(f"tool.{name}.schema")


def _entries(raw: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    tools = raw.get("tools") if isinstance(raw, dict) else None
    for position, entry in enumerate(tools if isinstance(tools, list) else []):
        if isinstance(entry, dict):
            yield str(entry.get("name") or f"[{position}]")[:64], entry


def _repeated(raw: Any) -> str | None:
    counts = Counter(name for name, _ in _entries(raw))
    twice = sorted(name for name, count in counts.items() if count > 1)
    return f"more than one tool is called {', '.join(twice)}; only the first counts" if twice else None


def _limited(manifest: Manifest) -> list[ManifestTool | PromptSection | LinkDestination]:
    return [*manifest.tools, *manifest.prompt_sections, *manifest.link_destination_details]


def _strange_channels(manifest: Manifest) -> str | None:
    strange = sorted({name for part in _limited(manifest) for name in part.channels or ()} - CHANNELS)
    return f"no such channel: {', '.join(strange)}" if strange else None


def _strange_tiers(manifest: Manifest) -> str | None:
    known = known_tiers(manifest) | {ADMIN}
    named = {name for part in _limited(manifest) for name in part.tiers or ()}
    strange = sorted(name for name in named - known if not is_reserved(name))
    return f"named, but not among access_tiers: {', '.join(strange)}" if strange else None


def _tools_nobody_gets(manifest: Manifest) -> Iterator[Finding]:
    for tool in manifest.tools:
        if tool.tiers == frozenset() or tool.channels == frozenset():
            yield advice(
                f"tool.{tool.name}.offered", "its list of tiers or channels is empty: nobody gets it"
            )


def _decoration(raw: Any) -> Iterator[Finding]:
    """What Root passes over in silence."""
    for name, entry in _entries(raw):
        limit, label = entry.get("timeout_ms"), entry.get("status_label")
        if limit is not None and (
            isinstance(limit, bool) or not isinstance(limit, int | float) or limit <= 0
        ):
            yield advice(f"tool.{name}.timeout_ms", "is not a number above zero; 120 seconds count instead")
        if label is not None and (not isinstance(label, str) or len(label) > MAX_LABEL):
            yield advice(f"tool.{name}.status_label", f"is not a text of at most {MAX_LABEL} characters")
