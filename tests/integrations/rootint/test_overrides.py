"""Admins' changes to a backend's tools, applied before any gate."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.integrations.rootint.manifest import Manifest, ManifestTool, parse_manifest
from apps.integrations.rootint.overrides import apply_overrides, check_overrides

PLAIN = parse_manifest(
    {
        "protocol": "root-int/1",
        "tools": [
            {"name": "find", "description": "Finds.", "tiers": ["member"]},
            {"name": "book", "description": "Books.", "channels": ["slack"]},
        ],
    }
)


def changed(overrides: Any) -> dict[str, ManifestTool]:
    found: Manifest = apply_overrides(PLAIN, overrides)
    return {tool.name: tool for tool in found.tools}


def test_each_value_replaces_the_manifests() -> None:
    tools = changed(
        {"find": {"description": "New.", "channels": ["email"], "tiers": ["mentor"], "admin_only": True}}
    )
    assert tools["find"].description == "New."
    assert (tools["find"].channels, tools["find"].tiers) == (frozenset({"email"}), frozenset({"mentor"}))
    assert tools["find"].admin_only
    assert tools["book"] == PLAIN.tools[1]


def test_removed_tools_are_gone() -> None:
    assert list(changed({"find": {"removed": True}, "book": {"removed": False}})) == ["book"]


@pytest.mark.parametrize("overrides", [None, [], "x", {}, {"elsewhere": {"removed": True}}, {"find": None}])
def test_nothing_to_change_changes_nothing(overrides: Any) -> None:
    assert list(changed(overrides)) == ["find", "book"]


@pytest.mark.parametrize(
    "entry", ["removed", {"removed": "yes"}, {"tiers": "member"}, {"admin_only": 1}, [1]]
)
def test_an_unreadable_override_hides_its_tool_rather_than_opening_it(entry: Any) -> None:
    assert list(changed({"find": entry})) == ["book"]


@pytest.mark.parametrize(
    "offered", [None, [], {"find": {"tiers": "member"}}, {"find": {"colour": 1}}, {"find": 1}]
)
def test_unreadable_overrides_are_not_stored(offered: Any) -> None:
    with pytest.raises(BadInput):
        check_overrides(offered)


def test_readable_overrides_are_stored_as_given() -> None:
    offered = {"find": {"removed": True}, "book": {"tiers": ["member"], "description": "x"}}
    assert check_overrides(offered) == offered
