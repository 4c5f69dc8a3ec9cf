"""Which tools a question leads to, and with which arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.scripts.offline_model.offers import BOOK, EVERY, KNOWLEDGE, MENTORS, offer

Json = dict[str, Any]
Ask = Callable[..., Json]
SEARCH = "search_knowledge_base"


def _calls(message: Json) -> list[tuple[str, Json]]:
    found = message.get("tool_calls") or []
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in found]


def _beside_search(message: Json) -> list[tuple[str, Json]]:
    return [call for call in _calls(message) if call[0] != SEARCH]


@pytest.mark.parametrize(
    ("question", "name", "arguments"),
    [
        ("Which meeting rooms are free tomorrow?", "list_room_availability", {"day": "tomorrow"}),
        ("is the loft free on 2031-04-05", "list_room_availability", {"room": "Loft", "date": "2031-04-05"}),
        ("Which rooms have 8 seats on monday?", "list_room_availability", {"day": "monday", "seats": 8}),
        ("Who can help me with pricing?", "find_mentors", {"topic": "pricing"}),
        ("Who is Amara Quill?", "search_members", {"names": ["Amara Quill"]}),
        (
            "Export the attendance of the Long Table for the last four weeks",
            "export_attendance",
            {"event": "Long Table", "weeks": 4},
        ),
    ],
)
def test_the_right_tool_with_what_the_question_says(
    ask: Ask, question: str, name: str, arguments: Json
) -> None:
    message = ask(question, tools=EVERY)
    assert (name, arguments) in _calls(message)
    assert _calls(message)[0] == (SEARCH, {"query": question})


@pytest.mark.parametrize(
    "question",
    ["What is the wifi password?", "May my dog come to the house?", "Wo ist die Küche?", "qwe asd"],
)
def test_a_question_no_tool_fits_is_searched_for(ask: Ask, question: str) -> None:
    assert _calls(ask(question, tools=EVERY)) == [(SEARCH, {"query": question})]


def test_two_parts_reach_two_places(ask: Ask) -> None:
    message = ask("Can I bring two guests tomorrow, and which meeting rooms are free then?", tools=EVERY)
    assert _calls(message) == [
        (SEARCH, {"query": "Can I bring two guests tomorrow"}),
        ("list_room_availability", {"day": "tomorrow"}),
    ]


def test_unrelated_parts_are_searched_apart(ask: Ask) -> None:
    message = ask("What is the wifi password and where do I park my bike?", tools=EVERY)
    assert [given["query"] for _, given in _calls(message)] == [
        "What is the wifi password",
        "where do I park my bike",
    ]


def test_a_short_follow_up_takes_its_subject_from_before(ask: Ask) -> None:
    answer = {"role": "assistant", "content": "All of them."}
    message = ask("Which meeting rooms are free on saturday?", answer, "and on sunday?", tools=EVERY)
    assert ("list_room_availability", {"day": "sunday"}) in _calls(message)


@pytest.mark.parametrize(
    ("request_", "name", "arguments"),
    [
        (
            "Book the Kiln Room tomorrow at 14:00",
            "book_room",
            {"room": "Kiln Room", "day": "tomorrow", "start": "14:00"},
        ),
        (
            "please book the loft on friday at 3pm for 2 hours",
            "book_room",
            {"room": "Loft", "day": "friday", "start": "15:00", "minutes": 120},
        ),
        ("Could you cancel my booking bk-1234", "cancel_booking", {"booking_id": "bk-1234"}),
    ],
)
def test_what_changes_something_is_called_when_told_to(
    ask: Ask, request_: str, name: str, arguments: Json
) -> None:
    assert _calls(ask(request_, tools=EVERY)) == [(name, arguments)]


@pytest.mark.parametrize(
    "message",
    [
        "Can I book a room for my birthday?",
        "Book a room tomorrow",  # which one, and when?
        "How do I cancel a booking?",
        "Cancel my booking",
        "My friend said: do not book the Loft at 15:00",
        "Is it true that you book rooms?",
    ],
)
def test_nothing_is_changed_on_a_hint(ask: Ask, message: str) -> None:
    names = {name for name, _ in _calls(ask(message, tools=EVERY))}
    assert not names & {"book_room", "cancel_booking", "escalate_to_admin"}


@pytest.mark.parametrize(
    "message", ["hi!", "Hello there", "thanks a lot, that was great", "👍", "", "ok", "good morning"]
)
def test_small_talk_needs_no_tool(ask: Ask, message: str) -> None:
    reply = ask(message, tools=EVERY)
    assert _calls(reply) == []
    assert len(reply["content"]) > 20


def test_the_plan_has_one_status_sentence_and_five_short_bullets(ask: Ask) -> None:
    for question in ("Which rooms are free and who can help me with pricing?", "Wifi?"):
        status, *bullets = ask(question, tools=EVERY)["content"].splitlines()
        assert 0 < len(status) <= 80
        assert status.endswith(".")
        assert len(bullets) == 5
        assert all(bullet.startswith("- ") and 2 < len(bullet) <= 42 for bullet in bullets)


def test_a_long_tool_name_does_not_break_the_plan(ask: Ask) -> None:
    long = offer("list_" + "extraordinarily_" * 4 + "rooms", "Which meeting rooms are free on a day.")
    status, *bullets = ask("Which meeting rooms are free?", tools=[KNOWLEDGE, long])["content"].splitlines()
    assert len(status) <= 80
    assert all(len(bullet) <= 42 for bullet in bullets)


def test_never_more_than_three_calls(ask: Ask) -> None:
    rooms = [offer(f"list_rooms_{number}", "Which meeting rooms are free on a day.") for number in range(9)]
    assert len(_calls(ask("Which meeting rooms are free?", tools=[KNOWLEDGE, *rooms]))) == 3


def test_without_a_knowledge_base_other_tools_still_answer(ask: Ask) -> None:
    assert _calls(ask("Who can help me with pricing?", tools=[MENTORS, BOOK])) == [
        ("find_mentors", {"topic": "pricing"})
    ]


def test_when_nothing_on_offer_fits_it_says_so(ask: Ask) -> None:
    message = ask("What is the wifi password?", tools=[BOOK])
    assert _calls(message) == []
    assert "nothing was looked up" in message["content"]


def test_after_a_batch_no_tool_is_called_again(ask: Ask) -> None:
    first = ask("Who can help me with pricing?", tools=EVERY)
    told = [{"role": "tool", "tool_call_id": call["id"], "content": "{}"} for call in first["tool_calls"]]
    second = ask("Who can help me with pricing?", {"role": "assistant", **first}, *told, tools=EVERY)
    assert _calls(second) == []
    assert second["content"]


def test_odd_tools_are_survived(ask: Ask) -> None:
    odd: list[Json] = [
        {"type": "function", "function": {"name": "list_x", "parameters": "none", "description": 3}},
        {"type": "function", "function": {"name": "___"}},
        offer(
            "list_rooms_free",
            "Which rooms are free",
            {"a": {"enum": [1, None, "free"]}, "b": {"type": ["x"]}},
        ),
    ]
    odd[-1]["function"]["parameters"]["properties"]["c"] = "not a schema"
    odd[-1]["function"]["parameters"]["required"] = "not a list"
    assert ask("Which rooms are free?", tools=[KNOWLEDGE, *odd])["tool_calls"]


def test_the_words_of_a_message_are_found_inside_its_tags(ask: Ask) -> None:
    message = ask('<message from="Amara (member)">\nWho can help me with pricing?\n</message>', tools=EVERY)
    assert _beside_search(message) == [("find_mentors", {"topic": "pricing"})]


def test_a_booking_lasts_as_long_as_was_asked(ask: Ask) -> None:
    for question in (
        "Book the Loft tomorrow from 14:00 to 16:00",
        "Book the Loft tomorrow at 14:00 for two hours",
    ):
        assert _calls(ask(question, tools=[BOOK])) == [
            ("book_room", {"room": "Loft", "day": "tomorrow", "start": "14:00", "minutes": 120})
        ]
