"""Manifests: what is required, what is forgiven, and that hostile ones end in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.rootint.manifest import ManifestError, parse_manifest


def manifest(**changes: Any) -> dict[str, Any]:
    return {"protocol": "root-int/1", "name": "x", "tools": [], **changes}


def tool(**changes: Any) -> dict[str, Any]:
    return {"name": "find", "description": "Finds.", **changes}


def parsed_tool(**changes: Any) -> Any:
    return parse_manifest(manifest(tools=[tool(**changes)])).tools[0]


def test_a_whole_manifest() -> None:
    schema = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    found = parse_manifest(
        manifest(
            access_tiers=["member", {"name": "mentor", "core_tools": ["who_knows"], "member_scoped": True}],
            tools=[
                tool(
                    parameters=schema,
                    channels=["slack"],
                    tiers=["member", "__admin__"],
                    admin_only=True,
                    timeout_ms=30_000,
                    status_label="Looking",
                    read_only=True,
                )
            ],
            prompt_sections=[{"channels": ["slack"], "tiers": ["member"], "content": "Be brief."}],
            link_destinations=["profile", "profile", "desk"],
            link_destination_details=[{"destination": "profile", "title": "Profile", "path": "/me"}],
            public_guide_url="https://guide.example/",
        )
    )
    only = found.tools[0]
    assert (only.name, only.parameters, only.timeout_seconds) == ("find", schema, 30.0)
    assert (only.channels, only.tiers) == (frozenset({"slack"}), frozenset({"member", "__admin__"}))
    assert (only.admin_only, only.read_only, only.status_label) == (True, True, "Looking")
    plain, rich = found.access_tiers
    assert (plain.name, plain.core_tools, plain.declared_as_object) == ("member", None, False)
    assert (rich.core_tools, rich.member_scoped, rich.declared_as_object) == (
        frozenset({"who_knows"}),
        True,
        True,
    )
    assert found.prompt_sections[0].content == "Be brief."
    assert found.link_destinations == ("profile", "desk")
    assert found.link_destination_details[0].path == "/me"
    assert found.public_guide_url == "https://guide.example/"


def test_omitted_gates_and_empty_gates_differ() -> None:
    assert (parsed_tool().channels, parsed_tool().tiers) == (None, None)
    assert (parsed_tool(channels=[], tiers=[]).channels, parsed_tool(tiers=[]).tiers) == (
        frozenset(),
        frozenset(),
    )


@pytest.mark.parametrize("given", [None, {}, {"properties": {}}])
def test_missing_parameters_are_an_empty_object(given: Any) -> None:
    assert parsed_tool(parameters=given).parameters["type"] == "object"


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (None, "whole"),
        ([], "whole"),
        ("root-int/1", "whole"),
        ({}, "protocol"),
        (manifest(protocol="rootint/1"), "protocol"),
        (manifest(protocol=1), "protocol"),
        (manifest(tools={}), "tools"),
        (manifest(tools=["find"]), r"tools\[0\]"),
        (manifest(tools=[tool(), tool(name=" ")]), r"tools\[1\]\.name"),
        (manifest(tools=[tool(name="find rooms")]), r"tools\[0\]\.name"),
        (manifest(tools=[tool(name="a" * 65)]), r"tools\[0\]\.name"),
        (manifest(tools=[tool(name=7)]), r"tools\[0\]\.name"),
        (manifest(tools=[tool(description="")]), r"tools\[0\]\.description"),
        (manifest(tools=[{"name": "find"}]), r"tools\[0\]\.description"),
        (manifest(tools=[tool(channels="slack")]), r"tools\[0\]\.channels"),
        (manifest(tools=[tool(tiers=[1])]), r"tools\[0\]\.tiers"),
        (manifest(tools=[tool(admin_only="no")]), r"tools\[0\]\.admin_only"),
        (manifest(tools=[tool(parameters=[])]), r"tools\[0\]\.parameters"),
        (manifest(tools=[tool(parameters={"type": "array"})]), r"tools\[0\]\.parameters"),
        (
            manifest(tools=[tool(parameters={"properties": {"a": {"type": "strng"}}})]),
            r"tools\[0\]\.parameters",
        ),
        (manifest(tools=[tool(parameters={"properties": {"a": {"$ref": "http://10.0.0.1/"}}})]), "own parts"),
        (manifest(tools=[tool(parameters={"x": "y" * 70_000})]), "longer"),
        (manifest(tools=[tool()] * 257), "tools"),
        (manifest(access_tiers="member"), "access_tiers"),
        (manifest(access_tiers=[1]), r"access_tiers\[0\]"),
        (manifest(access_tiers=[{"core_tools": []}]), r"access_tiers\[0\]\.name"),
        (manifest(access_tiers=[{"name": "m", "core_tools": "all"}]), "core_tools"),
        (manifest(access_tiers=[{"name": "m", "knowledge_source_types": {}}]), "knowledge_source_types"),
        (manifest(prompt_sections=[{"content": "x", "tiers": "member"}]), r"prompt_sections\[0\]\.tiers"),
    ],
)
def test_what_decides_access_must_be_right(raw: Any, path: str) -> None:
    with pytest.raises(ManifestError, match=path):
        parse_manifest(raw)


def test_decoration_of_a_wrong_type_is_simply_absent() -> None:
    found = parse_manifest(
        manifest(
            name=["x"],
            tools=[tool(timeout_ms="soon", status_label=5, read_only="yes")],
            prompt_sections=[{"content": 7}, {"content": "  "}, "text", {"content": "kept"}],
            link_destinations="profile",
            link_destination_details=[{"title": "no destination"}, 3],
            public_guide_url="javascript:1",
        )
    )
    only = found.tools[0]
    assert (only.timeout_seconds, only.status_label, only.read_only) == (None, None, False)
    assert [section.content for section in found.prompt_sections] == ["kept"]
    assert (found.name, found.link_destinations, found.link_destination_details) == ("", (), ())
    assert found.public_guide_url is None


@pytest.mark.parametrize(
    ("given", "seconds"), [(1, 0.001), (0, None), (-5, None), (True, None), (10**400, 600.0), (2.5, 0.0025)]
)
def test_time_limits_are_kept_within_reason(given: Any, seconds: float | None) -> None:
    assert parsed_tool(timeout_ms=given).timeout_seconds == seconds


def test_the_first_of_two_namesakes_wins() -> None:
    found = parse_manifest(
        manifest(
            tools=[tool(), tool(description="Second.")], access_tiers=["m", {"name": "m", "core_tools": []}]
        )
    )
    assert [entry.description for entry in found.tools] == ["Finds."]
    assert [tier.core_tools for tier in found.access_tiers] == [None]


def test_long_texts_are_cut_and_odd_characters_cleaned() -> None:
    long = parsed_tool(description="a\x00\ud800" * 9_000, status_label="b" * 500)
    assert len(long.description) == 4_000
    assert "\x00" not in long.description
    assert len(long.status_label) == 120


def test_deep_nesting_is_refused() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    with pytest.raises(ManifestError):
        parse_manifest(manifest(tools=[tool(parameters=deep)]))


@pytest.mark.parametrize("dialect", [["x"], {}, 5, None])
def test_a_dialect_that_is_no_text_is_a_sentence_not_a_crash(dialect: Any) -> None:
    with pytest.raises(ManifestError, match="schema"):
        parsed_tool(parameters={"$schema": dialect})
