"""What is typed to adjust a backend: its paths and what is made of its tools (contract §7.2, §7.4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from apps.foundation.errors import BadInput
from apps.integrations.identity import Channel
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import ENDPOINTS
from apps.integrations.rootint.manifest import TOOL_NAME
from apps.integrations.rootint.overrides import OVERRIDE_KEYS

# Action, what is typed behind --set, and what it means.
OPTIONS: Final = (
    (
        "endpoints",
        "KEY=/PATH",
        f"a path, such as tool_invoke=/run/:name; KEY= alone is the usual path: {', '.join(ENDPOINTS)}",
    ),
    (
        "override",
        "TOOL.KEY=VALUE",
        "a change to a tool: pay.removed=yes, pay.admin_only=yes, pay.channels=slack,web, pay.tiers=member or "
        "pay.description=TEXT; TOOL.KEY= alone leaves that to the manifest again",
    ),
)


def paths_after(changes: list[str], *, row: Integration) -> dict[str, Any]:
    """The paths of a backend with these typed changes, still to be checked."""
    return _changed(row.endpoint_paths, _read(changes, example="tool_invoke=/run/:name"))


def overrides_after(changes: list[str], *, row: Integration) -> dict[str, Any]:
    """What is made of a backend's tools with these typed changes, still to be checked."""
    after: dict[str, Any] = row.tool_overrides if isinstance(row.tool_overrides, dict) else {}
    for place, typed in _read(changes, example="pay.removed=yes").items():
        tool, dot, key = place.partition(".")
        if not dot:
            raise BadInput(f"{place} names no tool; write one like pay.{place}={typed}.")
        if tool not in after:
            _check_offered(tool, row)
        after = _changed(after, {tool: _changed(after.get(tool), {key: _value(key, typed)})})
    return after


def path_lines(row: Integration) -> list[str]:
    """Every endpoint and where it is, for reading."""
    own = row.endpoint_paths if isinstance(row.endpoint_paths, dict) else {}
    return [
        f"{key}  {own[key]}" if key in own else f"{key}  {usual.path}  (the protocol's own)"
        for key, usual in ENDPOINTS.items()
    ]


def override_lines(row: Integration) -> list[str]:
    """Every tool of which something was changed, for reading."""
    stored = row.tool_overrides if isinstance(row.tool_overrides, dict) else {}
    lines = [f"{tool}  {json.dumps(entry, ensure_ascii=False)}" for tool, entry in sorted(stored.items())]
    return lines or [f"{row.name} is taken as its manifest says."]


def _read(changes: list[str], *, example: str) -> dict[str, str]:
    read: dict[str, str] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or not key:
            raise BadInput(f"{change!r} is no change; write one like {example}.")
        if key in read:
            raise BadInput(f"{key} is given twice.")
        read[key] = value.strip()
    return read


def _changed(stored: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored with the changes; an empty one takes its key away."""
    both = {**(stored if isinstance(stored, dict) else {}), **changes}
    return {key: value for key, value in both.items() if key not in changes or value not in ("", {})}


def _check_offered(tool: str, row: Integration) -> None:
    if not TOOL_NAME.fullmatch(tool):
        raise BadInput(f"{tool!r} is no name of a tool.")
    tools = row.manifest.get("tools") if isinstance(row.manifest, dict) else None
    offered = (
        [entry.get("name") for entry in tools if isinstance(entry, dict)] if isinstance(tools, list) else None
    )
    if offered is not None and tool not in offered:
        raise BadInput(f"{row.name} has no tool called {tool}.")


def _switch(key: str, typed: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if typed.lower() not in known:
        raise BadInput(f"{key} is yes or no.")
    return known[typed.lower()]


def _names(key: str, typed: str) -> list[str]:
    names = [name.strip() for name in typed.split(",")]
    if not all(names):
        raise BadInput(f"{key} is a list of names with commas between them.")
    return names


def _channels(key: str, typed: str) -> list[str]:
    names, known = _names(key, typed), get_args(Channel)
    if strange := [name for name in names if name not in known]:
        raise BadInput(f"There is no channel {strange[0]!r}; there are {', '.join(known)}.")
    return names


_READ_AS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "removed": _switch,
    "admin_only": _switch,
    "channels": _channels,
    "tiers": _names,
    "description": lambda _key, typed: typed,
}


def _value(key: str, typed: str) -> Any:
    if key not in OVERRIDE_KEYS:
        raise BadInput(f"{key} cannot be changed; only {', '.join(sorted(OVERRIDE_KEYS))} can.")
    return _READ_AS[key](key, typed) if typed else ""
