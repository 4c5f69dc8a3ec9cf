"""One turn as every framework gets it: the messages, five instant tools, and a model that follows a script.

The model calls all five tools in its first and in its second round and answers in the third.
"""

from __future__ import annotations

import json
from typing import Any, Literal

SYSTEM = "You are the assistant of a community. " + "Answer from what the tools return, and briefly. " * 60
HISTORY = [
    ("user" if n % 2 == 0 else "assistant", f"Message number {n} of this conversation. " * 5)
    for n in range(6)
]
QUESTION = "Who can show me around on Friday, and is a room free after the talk?"
ANSWER = "Ines Prado can show you around on Friday at three, and the Loft is free after the talk."
PLAN = "Checking people, rooms and events.\n- people\n- rooms\n- events\n- pages\n- weather"

ROUNDS: list[list[tuple[str, str, str]]] = [
    [
        (f"r{number}_pages", "search_pages", json.dumps({"query": "guided tour", "limit": 5})),
        (f"r{number}_people", "find_people", json.dumps({"query": "host", "tier": "member"})),
        (f"r{number}_event", "get_event", json.dumps({"event_id": "talk-17"})),
        (f"r{number}_rooms", "list_rooms", json.dumps({"day": "friday", "seats": 6})),
        (f"r{number}_weather", "check_weather", json.dumps({"city": "Porto", "days": 2})),
    ]
    for number in (1, 2)
]
CALLS_IN_A_TURN = sum(len(batch) for batch in ROUNDS)


def _hits(kind: str, count: int) -> dict[str, Any]:
    text = f"What is known about this {kind}, in a passage of the usual length. " * 4
    found = [
        {"id": f"{kind}-{n}", "title": f"{kind} {n}", "text": text, "score": n / 7} for n in range(count)
    ]
    return {"success": True, "data": {"results": found, "count": count}}


def search_pages(query: str, limit: int = 5) -> dict[str, Any]:
    """Search the pages of the community."""
    return _hits("page", limit)


def find_people(query: str, tier: Literal["member", "mentor", "any"] = "any") -> dict[str, Any]:
    """Find people of the community."""
    return _hits("person", 4)


def get_event(event_id: str) -> dict[str, Any]:
    """Look up one event."""
    return {"success": True, "data": {"id": event_id, "title": "Talk", "starts": "2031-05-02T15:00:00"}}


def list_rooms(day: str, seats: int = 1) -> dict[str, Any]:
    """List the rooms that are free."""
    return _hits("room", 3)


def check_weather(city: str, days: int = 1) -> dict[str, Any]:
    """The weather of the next days."""
    return {"success": True, "data": {"city": city, "days": [{"day": n, "rain": False} for n in range(days)]}}


TOOLS = (search_pages, find_people, get_event, list_rooms, check_weather)
