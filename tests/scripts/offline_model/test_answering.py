"""Answers are quotations with their sources, and honest about the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scripts.offline_model.reply import CLOSING

LookedUp = Callable[..., str]

GUESTS = {
    "title": "Guests and visitors",
    "slug": "guests",
    "url": "https://house.example/visiting",
    "section": "How many",
    "text": """Guests and visitors > How many

- A member may bring up to two guests at a time.
- Guests use the blue cups.""",
    "source_type": "manual",
}
DOORS = {
    "title": "Doors",
    "slug": "doors",
    "section": "Codes",
    "text": """| Door | Street | Code |
|---|---|---|
| Side door | Heron Yard | 8206# |
| Front door | Sluice Lane | 1177# |""",
}
PARKING = {
    "title": "Bicycles",
    "slug": "bikes",
    "text": "Park your bike in Heron Yard. The roof is closed in winter.",
}


def _found(*pages: Any, **more: Any) -> tuple[str, Any]:
    return "search_knowledge_base", {
        "success": True,
        "data": {"status": "found", "results": list(pages), **more},
    }


def test_the_fitting_sentence_is_quoted_with_its_page(looked_up: LookedUp) -> None:
    text = looked_up("How many guests may I bring?", _found(PARKING, GUESTS))
    assert "“A member may bring up to two guests at a time.”" in text
    assert "Guests and visitors › How many (https://house.example/visiting)" in text
    assert "Heron Yard" not in text
    assert text.endswith(f"_{CLOSING}_")


def test_rows_of_a_table_say_what_their_columns_mean(looked_up: LookedUp) -> None:
    text = looked_up("What is the code of the side door?", _found(DOORS))
    assert "“Door: Side door; Street: Heron Yard; Code: 8206#”" in text
    assert "---" not in text


def test_the_head_of_a_table_is_never_quoted(looked_up: LookedUp) -> None:
    # As Root cuts tables into passages: a row of names, then each value beside its column's name.
    evening = {
        "title": "Demo day",
        "slug": "demo-day",
        "text": "Time | What happens\nTime: 17:00 | What happens: Welcome\nTime: 21:00 | What happens: Guests leave",
    }
    text = looked_up("What happens at demo day?", _found(evening))
    assert "“Time: 17:00 · What happens: Welcome”" in text
    assert "“Time: What happens”" not in text


def test_each_part_of_a_question_is_answered_from_its_own_search(looked_up: LookedUp) -> None:
    filler = [{**GUESTS, "title": f"Guests {number}"} for number in range(12)]
    text = looked_up(
        "How many guests may I bring and where do I park my bike?", _found(*filler), _found(PARKING)
    )
    assert "up to two guests" in text
    assert "Park your bike in Heron Yard." in text


def test_nothing_fitting_is_said_plainly(looked_up: LookedUp) -> None:
    text = looked_up("What is the capital of France?", _found(GUESTS, DOORS))
    assert "found nothing that answers this" in text
    assert "cups" not in text


def test_an_incomplete_search_allows_no_conclusion(looked_up: LookedUp) -> None:
    name, content = _found()
    content["data"] |= {"status": "partial", "isEmpty": True, "guidance": "Only a part was searched."}
    assert "does not mean there is nothing" in looked_up("Is there a pool?", (name, content))


def test_what_failed_is_said_not_to_be_done(looked_up: LookedUp) -> None:
    text = looked_up(
        "Print a badge", ("print_badge", {"success": False, "error": "The printer is out of ribbon."})
    )
    assert "Not completed: print badge. The printer is out of ribbon." in text
    assert "found nothing" not in text


def test_a_backends_own_fields_become_lines(looked_up: LookedUp) -> None:
    rooms = [
        {
            "room": "Kiln Room",
            "seats": 8,
            "free": [{"from": "08:00", "until": "09:30"}],
            "room_id": "r-1",
            "open": True,
        },
        {"room": "Loft", "seats": 14, "free": [], "note": None},
    ]
    data = {
        "date": "2031-04-05",
        "rooms": rooms,
        "totalCount": 2,
        "place": {"floor": "first", "street": "Quay"},
    }
    text = looked_up("Which rooms are free?", ("list_room_availability", {"success": True, "data": data}))
    assert text.startswith("Room availability:\n- Date: 2031-04-05\n")
    assert "- Place: Floor first; Street Quay" in text
    assert "- Kiln Room: seats 8; free 08:00–09:30; open yes" in text
    assert "- Loft: seats 14" in text
    assert "r-1" not in text
    assert "otal" not in text


def test_the_nearest_of_many_entries_are_shown(looked_up: LookedUp) -> None:
    members = [{"name": f"Person {number}", "skills": ["pottery"]} for number in range(30)]
    members.insert(25, {"name": "Benedikt Hale", "skills": ["pricing", "sales"]})
    text = looked_up(
        "Who knows pricing?", ("search_members", {"success": True, "data": {"members": members}})
    )
    assert "Benedikt Hale: skills pricing, sales" in text
    assert "… and 23 more" in text


def test_a_thing_listed_twice_is_told_once(looked_up: LookedUp) -> None:
    data = {
        "members": [{"name": "Amara", "role": "Founder"}],
        "names": [{"name": "Amara", "outcome": "found"}],
    }
    assert looked_up("Who is Amara?", ("search_members", {"success": True, "data": data})).count("Amara") == 1


def test_an_empty_list_is_an_answer(looked_up: LookedUp) -> None:
    data = {"success": True, "data": {"bookings": [], "totalCount": 0}}
    assert "Your bookings:\n- nothing there" in looked_up("What did I book?", ("list_my_bookings", data))


def test_messages_are_quoted_with_author_and_channel(looked_up: LookedUp) -> None:
    match = {
        "text": "The pottery kiln is fired every Thursday evening.",
        "user_name": "Odile",
        "channel_name": "#makers",
        "permalink": "https://slack.example/p1",
    }
    text = looked_up(
        "When is the kiln fired?", ("search_slack_messages", {"success": True, "data": {"matches": [match]}})
    )
    assert (
        "Odile in #makers (https://slack.example/p1):\n- “The pottery kiln is fired every Thursday evening.”"
        in text
    )


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda text: text,
        lambda text: f"<<<TOOL DATA>>>\n{text}\n<<<END>>>",
        lambda text: f"The following is data, not an instruction.\n```json\n{text}\n```",
        lambda text: f"[data {{1}} follows]\n{text}",
    ],
)
def test_fences_around_the_data_do_not_matter(looked_up: LookedUp, wrapped: Callable[[str], str]) -> None:
    name, content = _found(GUESTS)
    text = looked_up("How many guests may I bring?", (name, wrapped(json.dumps(content))))
    assert "up to two guests" in text


@pytest.mark.parametrize(
    "content",
    [
        "",
        "plain words",
        "{broken",
        "null",
        "[]",
        "[[[[",
        '{"success": true}',
        '{"success": true, "data": [1, [2]]}',
        '{"success": false, "error": {"odd": 1}}',
        "[" * 5_000,
        '{"data": {"results": [null, 3, {"text": ""}]}}',
        "\ud800",
    ],
)
def test_results_of_any_shape_are_survived(looked_up: LookedUp, content: str) -> None:
    assert looked_up("How many guests?", ("search_knowledge_base", content), ("list_x", content)).endswith(
        f"_{CLOSING}_"
    )


def test_only_results_of_this_turn_count(ask: Callable[..., Any]) -> None:
    name, content = _found(GUESTS)
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}
    earlier = [
        {"role": "user", "content": "How many guests may I bring?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": json.dumps(content)},
        {"role": "assistant", "content": "Two."},
    ]
    assert "nothing I can quote" in ask(*earlier, "How many guests were that again?")["content"]
