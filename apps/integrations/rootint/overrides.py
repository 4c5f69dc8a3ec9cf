"""What a tenant's admins change about a backend's tools, before any gating (contract §7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from apps.foundation.errors import BadInput
from apps.foundation.wire_json import clean_json
from apps.integrations.rootint.manifest import MAX_DESCRIPTION, Manifest, ManifestTool
from apps.integrations.rootint.reading import Reader

OVERRIDE_KEYS = frozenset({"removed", "description", "channels", "tiers", "admin_only"})


def apply_overrides(manifest: Manifest, overrides: Any) -> Manifest:
    """The effective manifest. An override that cannot be read hides its tool: it was meant to restrict."""
    if not isinstance(overrides, dict) or not overrides:
        return manifest
    kept = [_overridden(tool, overrides.get(tool.name)) for tool in manifest.tools]
    return replace(manifest, tools=tuple(tool for tool in kept if tool is not None))


def check_overrides(offered: Any) -> dict[str, Any]:
    """Overrides as they may be stored; raises :class:`BadInput` with the place."""
    whole = clean_json(offered)
    if not isinstance(whole, dict):
        raise BadInput("tool_overrides must be an object with a tool's name as key.")
    for name, entry in whole.items():
        changes = _changes(entry, path=name)
        unknown = set(entry) - OVERRIDE_KEYS
        if unknown or not isinstance(changes.get("description", ""), str):
            raise BadInput(f"{name} may change only {', '.join(sorted(OVERRIDE_KEYS))}.")
    return whole


def _overridden(tool: ManifestTool, entry: Any) -> ManifestTool | None:
    if entry is None:
        return tool
    try:
        changes = dict(_changes(entry, path=tool.name))
    except BadInput:
        return None
    return None if changes.pop("removed") else replace(tool, **changes)


def _changes(entry: Any, *, path: str) -> Mapping[str, Any]:
    reader = Reader(entry, fail=BadInput, path=path)
    changes: dict[str, Any] = {"removed": reader.flag("removed")}
    if description := reader.text("description"):
        changes["description"] = description[:MAX_DESCRIPTION]
    for key in ("channels", "tiers"):
        if (names := reader.names(key)) is not None:
            changes[key] = names
    if reader.value("admin_only") is not None:
        changes["admin_only"] = reader.flag("admin_only")
    return changes
