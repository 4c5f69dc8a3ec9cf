"""Booking and cancelling happen once for each invocation, and nobody books over somebody else."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.scripts.reference_backend.house import House

# A Saturday evening holds no standing booking, whatever today is.
LOFT: dict[str, Any] = {
    "room": "Loft",
    "day": "saturday",
    "start": "18:00",
    "minutes": 90,
    "title": "Rehearsal",
}


@pytest.fixture
def community() -> dict[str, str]:
    return {"tenant_id": str(uuid.uuid4())}


def test_a_booking_is_listed_and_takes_the_room(house: House, community: dict[str, str]) -> None:
    booked = house.succeed("book_room", LOFT, **community)["booked"]
    assert (booked["start"], booked["end"], booked["weekday"]) == ("18:00", "19:30", "Saturday")
    assert house.succeed("list_my_bookings", {}, **community)["bookings"] == [booked]
    (loft,) = house.succeed("list_room_availability", {"day": "saturday", "room": "Loft"}, **community)[
        "rooms"
    ]
    assert loft["free"] == ["08:00–10:00", "12:00–18:00", "19:30–22:00"]


def test_the_same_invocation_books_once(house: House, community: dict[str, str]) -> None:
    call = {**community, "invocation_id": "twice"}
    first = house.succeed("book_room", LOFT, **call)
    assert house.succeed("book_room", LOFT, **call) == first
    assert house.succeed("list_my_bookings", {}, **community)["totalCount"] == 1


def test_copies_that_arrive_together_book_once(house: House, community: dict[str, str]) -> None:
    call = {**community, "invocation_id": "together"}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: house.succeed("book_room", LOFT, **call), range(8)))
    assert answers == [answers[0]] * 8
    assert house.succeed("list_my_bookings", {}, **community)["totalCount"] == 1


def test_an_invocation_id_is_not_reused_for_something_else(house: House, community: dict[str, str]) -> None:
    call = {**community, "invocation_id": "reused"}
    house.succeed("book_room", LOFT, **call)
    assert "already been used" in house.fail("book_room", {**LOFT, "start": "20:00"}, **call)


def test_rivals_for_one_slot_get_one_booking(house: House, community: dict[str, str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda n: house.invoke("book_room", LOFT, ref=f"p{n}", **community).json(), range(8))
        )
    refused = [answer["error"] for answer in answers if not answer["success"]]
    assert len(refused) == 7
    assert "Still free that day: 08:00–10:00, 12:00–18:00, 19:30–22:00." in refused[0]


def test_a_repeated_refusal_stays_one_though_the_room_became_free(
    house: House, community: dict[str, str]
) -> None:
    booked = house.succeed("book_room", LOFT, **community)["booked"]
    rival = {**community, "ref": "tm-012", "invocation_id": "rival"}
    error = house.fail("book_room", LOFT, **rival)
    house.succeed("cancel_booking", {"booking_id": booked["booking_id"]}, **community)
    assert house.fail("book_room", LOFT, **rival) == error


def test_communities_do_not_meet(house: House, community: dict[str, str]) -> None:
    house.succeed("book_room", LOFT, **community)
    assert house.succeed("list_my_bookings", {})["totalCount"] == 0
    house.succeed("book_room", LOFT)


def test_only_the_owner_cancels(house: House, community: dict[str, str]) -> None:
    booking = {"booking_id": house.succeed("book_room", LOFT, **community)["booked"]["booking_id"]}
    assert "no booking" in house.fail("cancel_booking", booking, ref="tm-012", **community)
    assert "no booking" in house.fail("cancel_booking", booking)
    house.succeed("cancel_booking", booking, **community)
    assert house.succeed("list_my_bookings", {}, **community)["totalCount"] == 0


@pytest.mark.parametrize(
    ("changes", "caller", "said"),
    [
        ({"start": "18:10"}, {}, "quarter hour"),
        ({"start": "25:00"}, {}, "quarter hour"),
        ({"start": "21:30"}, {}, "not free"),
        ({"start": "10:00"}, {}, "not free"),
        ({"minutes": 20}, {}, "quarter hours"),
        ({"room": "Kiln Room", "minutes": 135}, {}, "120 minutes"),
        ({"room": "Kiln Room"}, {"tier": "alumni"}, "can be booked by"),
        ({}, {"ref": ""}, "who it is for"),
    ],
)
def test_house_rules_are_explained(
    house: House, changes: dict[str, Any], caller: dict[str, Any], said: str
) -> None:
    assert said in house.fail("book_room", {**LOFT, **changes}, **caller)


def test_a_booking_needs_a_day(house: House) -> None:
    assert "Say which day" in house.fail("book_room", {"room": "Loft", "start": "18:00"})


def test_three_coming_bookings_are_the_most(house: House, community: dict[str, str]) -> None:
    for start in ("14:00", "15:30", "17:00"):
        house.succeed("book_room", {**LOFT, "start": start}, **community)
    assert "three coming bookings" in house.fail("book_room", {**LOFT, "start": "20:00"}, **community)


def test_a_mentor_opens_an_office_hour_once(house: House, community: dict[str, str]) -> None:
    call = {**community, "ref": "tm-031", "tier": "mentor", "invocation_id": "office"}
    for _ in range(2):
        house.succeed("open_office_hour", {"day": "saturday", "start": "11:00"}, **call)
    (odile,) = house.succeed("find_mentors", {"topic": "regulation"}, **community)["mentors"]
    assert [hour["day"] for hour in odile["office_hours"]].count("saturday") == 1
    (elsewhere,) = house.succeed("find_mentors", {"topic": "regulation"})["mentors"]
    assert "saturday" not in [hour["day"] for hour in elsewhere["office_hours"]]


def test_the_badge_printer_fails_with_a_sentence(house: House) -> None:
    assert "out of ribbon" in house.fail("print_badge", {"visitor_name": "Ada"})
