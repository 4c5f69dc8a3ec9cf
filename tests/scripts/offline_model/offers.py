"""Tools as a community would offer them, in the shape of the wire."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
ROOMS = ["Kiln Room", "Loft", "Hopper"]
DAYS = ["today", "tomorrow", "monday", "friday", "saturday", "sunday"]


def offer(
    name: str, description: str, properties: Json | None = None, required: list[str] | None = None
) -> Json:
    parameters = {"type": "object", "properties": properties or {}, "required": required or []}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


KNOWLEDGE = offer(
    "search_knowledge_base",
    "Searches the community's pages: rules, events, contacts.",
    {"query": {"type": "string"}},
    ["query"],
)
AVAILABILITY = offer(
    "list_room_availability",
    "Which meeting rooms are free on a day, with seats and free times.",
    {
        "day": {"type": "string", "enum": DAYS},
        "room": {"type": "string", "enum": ROOMS},
        "seats": {"type": "integer", "minimum": 1, "maximum": 100},
        "date": {"type": "string"},
    },
)
MENTORS = offer(
    "find_mentors",
    "Find mentors who can help with a topic such as pricing or fundraising.",
    {"topic": {"type": "string", "maxLength": 50}},
)
MEMBERS = offer(
    "search_members",
    "Look people up in the directory by skill, company or role, or by several names.",
    {"query": {"type": "string"}, "names": {"type": "array", "items": {"type": "string"}}},
)
ATTENDANCE = offer(
    "export_attendance",
    "Export the attendance of a weekly gathering over the last weeks.",
    {
        "event": {"type": "string", "enum": ["Long Table", "Stand-up"]},
        "weeks": {"type": "integer", "maximum": 26},
    },
    ["event"],
)
BOOK = offer(
    "book_room",
    "Book a meeting room for the person asking.",
    {
        "room": {"type": "string", "enum": ROOMS},
        "day": {"type": "string", "enum": DAYS},
        "start": {"type": "string", "maxLength": 5},
        "minutes": {"type": "integer", "minimum": 15, "maximum": 180},
    },
    ["room", "start"],
)
CANCEL = offer(
    "cancel_booking", "Cancel a booking by its id.", {"booking_id": {"type": "string"}}, ["booking_id"]
)
ESCALATE = offer(
    "escalate_to_admin",
    "Hand the request to the human team.",
    {"escalation_reason": {"type": "string"}, "user_request_summary": {"type": "string"}},
    ["escalation_reason", "user_request_summary"],
)
EVERY = [KNOWLEDGE, AVAILABILITY, MENTORS, MEMBERS, ATTENDANCE, BOOK, CANCEL, ESCALATE]
