"""The demo community is complete, fictional, and tells the same facts in its pages as in its backend."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
DEMO = SCRIPTS / "demo"
TIERS = {"member", "mentor", "alumni", "guest"}
FILES = sorted((DEMO / "pages").glob("*.md"))


def read(path: Path) -> tuple[dict[str, Any], str]:
    _, head, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    return tomllib.loads(head), body


def page(slug: str) -> str:
    return read(DEMO / "pages" / f"{slug}.md")[1]


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def people() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = load(DEMO / "people.json")
    return rows


@pytest.fixture
def community() -> dict[str, Any]:
    value: dict[str, Any] = load(DEMO / "community.json")
    return value


@pytest.fixture
def house() -> dict[str, Any]:
    value: dict[str, Any] = load(SCRIPTS / "reference_backend_data" / "house.json")
    return value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_page_has_a_complete_head_and_a_body_of_fair_length(path: Path) -> None:
    head, body = read(path)
    assert (head["slug"], body.splitlines()[0]) == (path.stem, f"# {head['title']}")
    assert head["author_name"]
    assert isinstance(head["knowledge_date"], date)
    assert set(head.get("audience_tiers", ["member"])) <= TIERS
    assert not (head.get("is_public") and "audience_tiers" in head)
    assert 150 <= len(body.split()) <= 700
    assert body.count("\n## ") >= 2


def test_there_are_pages_for_everybody_and_for_some() -> None:
    heads = [read(path)[0] for path in FILES]
    assert len(heads) >= 30
    assert sum("audience_tiers" not in head for head in heads) >= 20
    assert {"member"} in [set(head.get("audience_tiers", [])) for head in heads]


def test_addresses_and_numbers_are_fictional() -> None:
    for path in [*FILES, DEMO / "people.json", DEMO / "community.json"]:
        content = path.read_text(encoding="utf-8")
        hosts = re.findall(r"(?:https?://|@)([A-Za-z0-9.-]+\.[a-z]+)", content)
        assert all(host.endswith(".example") for host in hosts), path.name
        assert all(number.startswith("960 1") for number in re.findall(r"01632 (\d{3} \d)", content)), (
            path.name
        )


def test_people_stand_on_four_tiers_with_one_administrator(people: list[dict[str, Any]]) -> None:
    assert {person["tier"] for person in people} == TIERS
    assert [person["display_name"] for person in people if person["is_admin"]] == ["Nell Harrowgate"]
    for key in ("ref", "email", "slack_user_id", "display_name"):
        assert len({person[key] for person in people}) == len(people)
    assert all(re.fullmatch(r"U0[A-Z0-9]+", person["slack_user_id"]) for person in people)


def test_the_chat_offers_known_people_on_every_tier(
    community: dict[str, Any], people: list[dict[str, Any]]
) -> None:
    known = {person["email"]: (person["display_name"], person["tier"]) for person in people}
    offered = community["web"]["people"]
    assert [known[entry["email"]] for entry in offered] == [(e["display_name"], e["tier"]) for e in offered]
    assert {entry["tier"] for entry in offered} == TIERS
    assert community["example_asker"] == offered[0]["email"]
    assert community["example_question"] in community["web"]["examples"]
    assert len(community["web"]["examples"]) == 6


def test_door_codes_stand_only_on_pages_for_their_holders() -> None:
    for secret, holders in {
        "4471#": "front-door",
        "8206#": "side-door",
        "barley-and-brine": "wifi-members",
    }.items():
        assert [path.stem for path in FILES if secret in path.read_text(encoding="utf-8")] == [holders]
        assert "guest" not in read(DEMO / "pages" / f"{holders}.md")[0]["audience_tiers"]


def test_rooms_are_the_same_on_the_page_and_in_the_backend(house: dict[str, Any]) -> None:
    rows = re.findall(
        r"^\| ([\w ]+) \| (\w+) \| (\d+) \| [^|]+ \| (\d) hours? \|$", page("meeting-rooms"), re.M
    )
    told = {name: (f"{floor} floor", int(seats), int(hours) * 60) for name, floor, seats, hours in rows}
    assert told == {n: (r["floor"], r["seats"], r["max_minutes"]) for n, r in house["rooms"].items()}


def test_standing_bookings_are_on_the_page_about_rooms(house: dict[str, Any]) -> None:
    text = page("meeting-rooms").casefold()
    for booking in house["standing_bookings"]:
        assert f"{booking['start']} to {booking['end']}" in text, booking
        assert all(day in text for day in booking["days"]), booking
    assert "fourteen days ahead" in text
    assert "three coming bookings" in text


def test_office_hours_are_on_the_page_about_mentors(
    house: dict[str, Any], people: list[dict[str, Any]]
) -> None:
    names = {person["ref"]: person["display_name"] for person in people}
    for hour in house["office_hours"]:
        when = f"{hour['day'].title()} {hour['start']} to {hour['end']} | {hour['place']} |"
        row = rf"^\| {names[hour['mentor_ref']]} \|.*\| {re.escape(when)}$"
        assert re.search(row, page("mentors"), re.M), hour


def test_the_front_door_opens_when_the_page_says(house: dict[str, Any]) -> None:
    door = house["doors"]["front door"]
    assert f"Monday to Friday | {door['from']} to {door['until']}" in page("opening-hours")


def test_the_example_question_needs_a_page_and_a_tool() -> None:
    guests = page("guests")
    assert "up to two guests at a time" in guests
    assert "by 18:00 on the day before" in guests
    tools = load(SCRIPTS / "reference_backend_data" / "manifest.json")["tools"]
    rooms = next(tool for tool in tools if tool["name"] == "list_room_availability")
    assert "tomorrow" in rooms["parameters"]["properties"]["day"]["enum"]
