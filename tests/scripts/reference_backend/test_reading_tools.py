"""Directory, mentors, rooms, doors, pictures, streams: what the reading tools answer."""

from __future__ import annotations

import base64
import struct
import zlib
from datetime import date

from tests.scripts.reference_backend.house import House


def test_a_question_finds_people_by_skill(house: House) -> None:
    data = house.succeed("search_members", {"query": "Who knows about packages made of seaweed?"})
    assert data["members"][0]["name"] == "Amara Quill"
    assert data["totalCount"] == len(data["members"])


def test_each_name_has_its_own_outcome(house: House) -> None:
    data = house.succeed("search_members", {"names": ["priya castellan", "Tobias", "Amara Quil", "Zed"]})
    outcomes = {entry["name"]: entry["outcome"] for entry in data["names"]}
    assert outcomes == {
        "priya castellan": "found", "Tobias": "ambiguous", "Amara Quil": "not_found", "Zed": "not_found",
    }  # fmt: skip
    assert data["names"][2]["did_you_mean"] == ["Amara Quill"]
    assert {member["name"] for member in data["members"]} == {"Priya Castellan", "Tobias Lock", "Tobias Wren"}


def test_visitors_are_not_in_the_directory(house: House) -> None:
    assert house.succeed("search_members", {"names": ["Rafael Dunmore"]})["members"] == []


def test_mentors_come_with_office_hours_that_are_not_past(house: House) -> None:
    data = house.succeed("find_mentors", {"topic": "Who can help me with pricing?"})
    assert [mentor["name"] for mentor in data["mentors"]] == ["Benedikt Hale"]
    hour = data["mentors"][0]["office_hours"][0]
    assert date.fromisoformat(hour["date"]).weekday() == 3
    assert hour["start"] == "15:30"


def test_a_topic_nobody_covers_names_the_others(house: House) -> None:
    data = house.succeed("find_mentors", {"topic": "beekeeping"})
    assert data["totalCount"] == 0
    assert len(data["others"]) == len(house.succeed("find_mentors")["mentors"]) == 3


def test_rooms_of_tomorrow_with_standing_bookings_taken_out(house: House) -> None:
    data = house.succeed("list_room_availability", {"day": "thursday"}, tier="guest")
    assert date.fromisoformat(data["date"]).weekday() == 3
    rooms = {room["room"]: room for room in data["rooms"]}
    assert rooms["Kiln Room"]["free"] == ["08:00–14:00", "17:00–22:00"]
    assert rooms["Loft"]["free"] == ["08:00–22:00"]
    assert [room["bookable_by_you"] for room in data["rooms"]] == [False] * 5


def test_rooms_are_narrowed_by_seats_and_name(house: House) -> None:
    large = house.succeed("list_room_availability", {"day": "tomorrow", "seats": 8})["rooms"]
    assert [room["room"] for room in large] == ["Kiln Room", "Loft"]
    assert len(house.succeed("list_room_availability", {"room": "Hopper"})["rooms"]) == 1


def test_doors_tell_their_state_and_no_code(house: House) -> None:
    reply = house.invoke("get_door_status", {"door": "front door"}, tier="guest")
    (door,) = reply.json()["data"]["doors"]
    assert door["state"] in {"open", "locked"}
    assert b"4471" not in reply.body


def test_a_flaky_door_recovers_when_the_same_invocation_comes_again(house: House) -> None:
    statuses = [
        house.invoke("get_door_status", {"fail_first": 2}, invocation_id="flaky-door").status
        for _ in range(3)
    ]
    assert statuses == [502, 502, 200]


def test_the_floor_plan_is_a_picture_beside_the_data(house: House) -> None:
    answer = house.invoke("show_floor_plan", {"room": "Loft"}, tier="guest").json()
    (image,) = answer["images"]
    width, height, pixels = read_png(base64.b64decode(image["base64"], validate=True))
    assert (len(pixels), image["contentType"]) == ((width + 1) * height, "image/png")
    assert set(pixels) == {0, 1, 2}
    assert "base64" not in str(answer["data"])


def read_png(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and palette indices, after checking every chunk's checksum."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4])
        named = data[at + 4 : at + 8 + size]
        assert int.from_bytes(data[at + 8 + size : at + 12 + size]) == zlib.crc32(named)
        chunks[named[:4]] = named[4:]
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 3)
    return width, height, zlib.decompress(chunks[b"IDAT"])


def test_the_slow_report_answers_in_the_end(house: House) -> None:
    assert house.succeed("slow_report", {"seconds": 0.2})["unit"] == "kWh"


def test_an_export_streams_progress_and_one_result(house: House) -> None:
    reply = house.invoke("export_attendance", {"event": "Long Table", "weeks": 3})
    assert reply.headers["content-type"] == "application/x-ndjson"
    *progress, result = reply.lines()
    assert [line["type"] for line in progress] == ["progress"] * 3
    assert (result["type"], result["success"]) == ("result", True)
    data = result["data"]
    assert len(data["rows"]) == 3
    assert data["total"] == sum(row["attended"] for row in data["rows"])
    assert all(date.fromisoformat(row["date"]) <= date.today() for row in data["rows"])


def test_a_stream_refused_before_it_starts_is_a_plain_answer(house: House) -> None:
    assert "one of" in house.fail("export_attendance", {"event": "Tea"})
