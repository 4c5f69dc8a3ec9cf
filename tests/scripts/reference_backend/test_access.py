"""Tiers are checked by the backend too, and params are held against the schema of the manifest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripts.reference_backend.house import House


@pytest.mark.parametrize(
    ("tool", "caller"),
    [
        ("search_members", {"tier": "guest"}),
        ("search_members", {"tier": "public"}),
        ("search_members", {"tier": ""}),
        ("open_office_hour", {"tier": "member"}),
        ("list_open_tickets", {"tier": "member"}),
        ("list_open_tickets", {"tier": "__admin__"}),
    ],
)
def test_tools_of_other_tiers_are_refused(house: House, tool: str, caller: dict[str, Any]) -> None:
    assert "not available" in house.fail(tool, {}, **caller)


def test_an_administrator_reads_the_tickets(house: House) -> None:
    data = house.succeed("list_open_tickets", {}, ref="tm-001", is_admin=True)
    assert [ticket["id"] for ticket in data["tickets"]] == ["T-204", "T-207", "T-209"]


@pytest.mark.parametrize(
    ("tool", "params", "said"),
    [
        ("search_members", {"query": 5}, "type string"),
        ("search_members", {"query": ""}, "characters"),
        ("search_members", {"query": "x" * 301}, "characters"),
        ("search_members", {"names": []}, "entries"),
        ("search_members", {"names": ["a"] * 11}, "entries"),
        ("search_members", {"names": [None]}, "type string"),
        ("search_members", {"nam": "x"}, "no parameter"),
        ("search_members", {}, "Say what"),
        ("list_room_availability", {"room": "Cellar"}, "one of"),
        ("list_room_availability", {"seats": True}, "type integer"),
        ("list_room_availability", {"seats": 0}, "between"),
        ("list_room_availability", {"date": "2026-02-30"}, "real day"),
        ("list_room_availability", {"date": "1999-01-01"}, "14 days ahead"),
        ("list_room_availability", {"day": "today", "date": "2026-02-20"}, "not both"),
        ("slow_report", {"seconds": float("nan")}, "type number"),
        ("slow_report", {"seconds": 10**400}, "between"),
        ("book_room", {"room": "Loft"}, "Missing: start"),
        ("cancel_booking", {"booking_id": "B-unknown"}, "no booking"),
    ],
)
def test_params_outside_the_schema_are_explained(
    house: House, tool: str, params: dict[str, Any], said: str
) -> None:
    assert said in house.fail(tool, params)
