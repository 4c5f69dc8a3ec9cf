"""The manifest says what the backend can do, completely and within the protocol's bounds."""

from __future__ import annotations

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.scripts.reference_backend.house import House

TIERS = {"member", "mentor", "alumni", "guest"}


@pytest.fixture
def manifest(house: House) -> dict[str, Any]:
    reply = house.get("/integration/manifest")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    value: dict[str, Any] = reply.json()
    return value


def test_protocol_and_name(manifest: dict[str, Any]) -> None:
    assert (manifest["protocol"], manifest["name"]) == ("root-int/1", "tidemill-house")


def test_four_tiers_two_of_them_as_objects(manifest: dict[str, Any]) -> None:
    tiers = manifest["access_tiers"]
    assert {tier if isinstance(tier, str) else tier["name"] for tier in tiers} == TIERS
    declared = {tier["name"]: tier for tier in tiers if isinstance(tier, dict)}
    assert "escalate_to_admin" in declared["mentor"]["core_tools"]
    assert declared["guest"]["knowledge_source_types"] == ["manual"]


def test_every_tool_is_described_and_has_a_valid_schema(manifest: dict[str, Any]) -> None:
    for tool in manifest["tools"]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
        assert tool["description"].strip()
        assert 1 <= len(tool["status_label"]) <= 120
        assert set(tool["tiers"]) <= TIERS | {"__admin__"}
        assert isinstance(tool["timeout_ms"], int)
        Draft202012Validator.check_schema(tool["parameters"])


def test_acting_tools_are_exactly_those_not_marked_read_only(manifest: dict[str, Any]) -> None:
    acting = {tool["name"] for tool in manifest["tools"] if not tool.get("read_only")}
    assert acting == {"book_room", "cancel_booking", "print_badge", "open_office_hour"}


def test_sections_links_and_guide(manifest: dict[str, Any]) -> None:
    assert [section for section in manifest["prompt_sections"] if section.get("channels") == ["slack"]]
    assert [section for section in manifest["prompt_sections"] if section.get("tiers") == ["guest"]]
    detailed = [entry["destination"] for entry in manifest["link_destination_details"]]
    assert detailed == manifest["link_destinations"]
    assert manifest["public_guide_url"].startswith("https://")
