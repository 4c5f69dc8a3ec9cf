#!/usr/bin/env python3
"""A tenant backend that speaks root-int/1, in one file of standard library, made to be copied (contract §7).

    ROOT_SIGNING_SECRET=… python scripts/reference_backend.py --port 8099

It stands for the system a community already has: a directory, rooms, doors. Root asks it who people are,
which tools it offers, and then calls those tools. To build your own, keep parts 1, 2, 6 and 7, write your
`manifest.json`, and put your own functions in the place of parts 3 to 5.

    1 signatures    2 what a call carries    3 the house: data and rules    4 tools that read
    5 tools that act    6 routes    7 the server

State lives in memory and is gone at the next start; everything that has a date counts from today.
"""

from __future__ import annotations

import argparse
import base64
import difflib
import hashlib
import hmac
import json
import math
import os
import re
import secrets
import struct
import sys
import threading
import time
import traceback
import unicodedata
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, cast
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

HERE = Path(__file__).resolve().parent
DATA = HERE / "reference_backend_data"
PEOPLE = HERE / "demo" / "people.json"
PUBLIC_URL = "https://house.tidemill.example"

CLOCK_SKEW_SECONDS = 300
MAX_BODY_BYTES = 256 * 1024
REMEMBERED_INVOCATIONS = 10_000
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Json = dict[str, Any]


# --- 1 signatures -----------------------------------------------------------------------------------------


def expected_signature(secret: str, *, timestamp: str, body: bytes) -> str:
    """Lower-case hex HMAC-SHA256 over the timestamp, a dot and the body."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def is_signed(secret: str, *, timestamp: str, signature: str, body: bytes) -> bool:
    """Check the bytes as they came: parsing and dumping JSON again would change spaces and escapes."""
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > CLOCK_SKEW_SECONDS:
        return False
    expected = expected_signature(secret, timestamp=timestamp, body=body)
    # compare_digest takes the same time wherever the first difference stands; bytes, since it refuses
    # non-ASCII strings and a header may hold anything.
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogateescape"))


# --- 2 what a call carries --------------------------------------------------------------------------------


class ToolError(Exception):
    """What stood in the way, as a sentence the assistant may repeat to the person."""


class RequestError(Exception):
    """The request cannot be answered at all; said with an HTTP status instead of a tool's own failure."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Call:
    """One tool invocation. The principal is as trustworthy as the signature: Root has said who asks."""

    invocation_id: str
    tenant_id: str
    ref: str
    tier: str
    is_admin: bool
    display_name: str
    params: Json

    @classmethod
    def parse(cls, body: Json) -> Call:
        principal = body.get("principal")
        principal = principal if isinstance(principal, dict) else {}
        params = {} if body.get("params") is None else body["params"]
        if not isinstance(params, dict):
            raise RequestError("params must be an object.")
        invocation_id = text(body, "invocation_id")
        if not 1 <= len(invocation_id) <= 100:
            raise RequestError("invocation_id is missing.")
        return cls(
            invocation_id=invocation_id,
            tenant_id=text(body, "tenant_id"),
            ref=text(principal, "ref"),
            tier=text(principal, "tier"),
            is_admin=principal.get("is_admin") is True,
            display_name=text(principal, "display_name"),
            params=params,
        )


def text(source: Json, key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) else ""


def parse_object(body: bytes) -> Json:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("The body is not JSON.") from None
    if not isinstance(value, dict):
        raise RequestError("The body must be a JSON object.")
    return value


def check_params(params: Json, schema: Json) -> None:
    """Hold the params against the schema in the manifest, so that there is one truth about both."""
    properties: Json = schema.get("properties", {})
    unknown = sorted(set(params) - set(properties))
    if unknown:
        raise ToolError(f"There is no parameter called {unknown[0][:40]!a}.")
    missing = [name for name in schema.get("required", ()) if name not in params]
    if missing:
        raise ToolError(f"Missing: {', '.join(missing)}.")
    for name, value in params.items():
        check_value(name, value, properties[name])


def check_value(name: str, value: Any, rule: Json) -> None:
    if not has_type(value, rule.get("type", "string")):
        raise ToolError(f"{name} must be of type {rule['type']}.")
    if "enum" in rule:
        if value not in rule["enum"]:
            raise ToolError(f"{name} must be one of: {', '.join(rule['enum'])}.")
        return
    least, most = rule.get("minLength", 0), rule.get("maxLength", 0)
    if isinstance(value, str) and not least <= len(value.strip()) <= most:
        raise ToolError(f"{name} must have {least} to {most} characters.")
    if isinstance(value, int | float) and not rule["minimum"] <= value <= rule["maximum"]:
        raise ToolError(f"{name} must lie between {rule['minimum']} and {rule['maximum']}.")
    if isinstance(value, list):
        if not rule["minItems"] <= len(value) <= rule["maxItems"]:
            raise ToolError(f"{name} must have {rule['minItems']} to {rule['maxItems']} entries.")
        for item in value:
            check_value(name, item, rule["items"])


def has_type(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # Python counts True as an integer, JSON does not
        return kind == "boolean"
    if isinstance(value, float):
        return kind == "number" and math.isfinite(value)
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": int, "array": list, "object": dict}
    return isinstance(value, kinds.get(kind, ()))


# --- 3 the house: data and rules --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Booking:
    id: str
    tenant_id: str
    ref: str
    room: str
    day: date
    start: int  # minutes since midnight, local time
    end: int
    title: str

    def as_json(self) -> Json:
        return {
            "booking_id": self.id, "room": self.room, "title": self.title,
            "date": self.day.isoformat(), "weekday": WEEKDAYS[self.day.weekday()].title(),
            "start": clock(self.start), "end": clock(self.end),
        }  # fmt: skip


class House:
    """Everything the backend knows. One lock guards what changes; people and rooms never do."""

    def __init__(self, *, people: list[Json], data: Json, manifest: Json, settings: Settings) -> None:
        self.people = people
        self.data = data
        self.rooms: dict[str, Json] = data["rooms"]
        self.manifest = manifest
        self.settings = settings
        self.zone = load_zone(data["timezone"])
        self.lock = threading.RLock()
        self.bookings: dict[str, Booking] = {}
        self.extra_office_hours: list[Json] = []
        self.escalations: deque[Json] = deque(maxlen=500)
        self.answered: OrderedDict[tuple[str, str], tuple[str, Json]] = OrderedDict()
        self.attempts: dict[str, int] = {}

    def now(self) -> datetime:
        return datetime.now(self.zone)

    def person(self, ref: str) -> Json | None:
        return next((person for person in self.people if person["ref"] == ref), None)

    def name_of(self, ref: str) -> str:
        person = self.person(ref)
        return str(person["display_name"]) if person else "somebody"

    def taken(self, room: str, day: date, *, tenant_id: str) -> list[tuple[int, int]]:
        weekday = WEEKDAYS[day.weekday()]
        standing = [
            (minutes(entry["start"]), minutes(entry["end"]))
            for entry in self.data["standing_bookings"]
            if entry["room"] == room and weekday in entry["days"]
        ]
        booked = [
            (booking.start, booking.end)
            for booking in self.bookings.values()
            # A development community and its live twin may share a backend: their bookings do not meet.
            if (booking.room, booking.day, booking.tenant_id) == (room, day, tenant_id)
        ]
        return sorted(standing + booked)

    def free(self, room: str, day: date, *, tenant_id: str) -> list[tuple[int, int]]:
        now = self.now()
        cursor = minutes(self.data["bookable_from"])
        if day == now.date():
            cursor = max(cursor, math.ceil((now.hour * 60 + now.minute) / 15) * 15)
        until = minutes(self.data["bookable_until"])
        gaps = []
        for start, end in [*self.taken(room, day, tenant_id=tenant_id), (until, until)]:
            if start - cursor >= 15:
                gaps.append((cursor, start))
            cursor = max(cursor, end)
        return gaps

    def upcoming(self, *, tenant_id: str, ref: str) -> list[Booking]:
        now = self.now()
        moment = (now.date(), now.hour * 60 + now.minute)
        mine = [b for b in self.bookings.values() if (b.tenant_id, b.ref) == (tenant_id, ref)]
        return sorted((b for b in mine if (b.day, b.end) > moment), key=lambda b: (b.day, b.start))

    def once(self, call: Call, tool: str, run: Callable[[], Json]) -> Json:
        """Act once for each invocation_id, however often the call arrives, and give the same answer again.

        Root keeps the id when it repeats a call whose answer got lost; without this a lost answer would
        become a second booking. The lock makes two copies that arrive together wait for each other.
        """
        key = (call.tenant_id, call.invocation_id)
        asked = json.dumps([tool, call.ref, call.params], sort_keys=True)
        with self.lock:
            if key in self.answered:
                earlier, answer = self.answered[key]
                if earlier != asked:
                    raise ToolError("This invocation_id has already been used for a different request.")
                return answer
            answer = run()
            self.answered[key] = (asked, answer)
            if len(self.answered) > REMEMBERED_INVOCATIONS:
                self.answered.popitem(last=False)
            return answer


def load_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):  # a slim machine may have no zone files
        return UTC


def minutes(clock_time: str) -> int:
    hour, minute = clock_time.split(":")
    return int(hour) * 60 + int(minute)


def clock(total: int) -> str:
    return f"{total // 60:02d}:{total % 60:02d}"


def spans(gaps: Iterable[tuple[int, int]]) -> list[str]:
    return [f"{clock(start)}–{clock(end)}" for start, end in gaps]


def spoken(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()].title()} {day.day} {day:%B}"


def pick_day(house: House, params: Json) -> date | None:
    """The day that was asked for, or None; a weekday is the next one after today."""
    today = house.now().date()
    if "day" in params and "date" in params:
        raise ToolError("Give either a day or a date, not both.")
    if "date" in params:
        try:
            return datetime.strptime(params["date"].strip(), "%Y-%m-%d").date()
        except ValueError:
            raise ToolError("The date must be a real day written YYYY-MM-DD.") from None
    word = params.get("day")
    if word in WEEKDAYS:
        return today + timedelta(days=(WEEKDAYS.index(word) - today.weekday() - 1) % 7 + 1)
    return {"today": today, "tomorrow": today + timedelta(days=1)}.get(str(word))


def coming_day(house: House, params: Json) -> date:
    day = pick_day(house, params)
    if day is None:
        raise ToolError("Say which day: today, tomorrow, a weekday, or a date.")
    ahead = (day - house.now().date()).days
    if not 0 <= ahead <= house.data["days_ahead"]:
        raise ToolError(
            f"{spoken(day)} will not do: the calendar opens {house.data['days_ahead']} days ahead."
        )
    return day


def quarter_hour(house: House, value: str, day: date) -> int:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):(00|15|30|45)", value, re.ASCII):
        raise ToolError("The start must be a 24-hour time on a quarter hour, such as 14:30.")
    now = house.now()
    if day == now.date() and minutes(value) < now.hour * 60 + now.minute:
        raise ToolError(f"{value} today is already past.")
    return minutes(value)


# --- 4 tools that read ------------------------------------------------------------------------------------

Answer = Json | Iterator[Json]
TOOLS: dict[str, Callable[[House, Call], Answer]] = {}


def tool(function: Callable[[House, Call], Answer]) -> Callable[[House, Call], Answer]:
    """A tool is a function with the name the manifest gives it."""
    TOOLS[function.__name__] = function
    return function


def done(data: Json, **extra: Any) -> Json:
    return {"success": True, "data": data, **extra}


# Words of a question that say nothing about whom it looks for.
FILLER = frozenset(
    re.findall(
        r"[a-z]+",
        "a about an and any are at can could do does find for from hello help hours i in is it know knows "
        "me meet member members mentor mentors my need of office on or our people person please someone "
        "somebody speak talk that the their them there they to us we what when where which who whom with you",
    )
)


def stems(phrase: str) -> set[str]:
    words = re.findall(r"\w+", unicodedata.normalize("NFC", phrase).casefold())
    return {
        re.sub(r"(ing|es|s)$", "", word) if len(word) > 4 else word for word in words if word not in FILLER
    }


def matches(person: Json, wanted: set[str]) -> int:
    traits = person["traits"]
    known = stems(" ".join([person["display_name"], traits["company"], traits["role"], *traits["skills"]]))
    return sum(any(a == b or (len(b) > 4 and a.startswith(b)) for a in known) for b in wanted)


def search(people: Iterable[Json], phrase: str) -> list[Json]:
    wanted = stems(phrase)
    scored = [(matches(person, wanted), person) for person in people]
    return [person for score, person in sorted(scored, key=lambda row: -row[0]) if score]


def card(person: Json) -> Json:
    traits = person["traits"]
    return {
        "name": person["display_name"], "tier": person["tier"],
        "company": traits["company"], "role": traits["role"], "skills": traits["skills"],
        "email": person["email"], "slack_user_id": person["slack_user_id"],
    }  # fmt: skip


@tool
def search_members(house: House, call: Call) -> Answer:
    """Several names are answered one by one, so that one unknown name does not spoil the rest."""
    if not call.params:
        raise ToolError("Say what to look for: a query, or names.")
    people = [person for person in house.people if person["tier"] != "guest"]
    data: Json = {}
    found: list[Json] = []
    if "names" in call.params:
        data["names"] = [look_up(people, name) for name in call.params["names"]]
        found += [match for entry in data["names"] for match in entry["found"]]
    if "query" in call.params:
        found += [card(person) for person in search(people, call.params["query"])[:10]]
    unique = list({entry["email"]: entry for entry in found}.values())
    return done({"members": unique, "totalCount": len(unique), **data})


def look_up(people: list[Json], name: str) -> Json:
    by_name = {person["display_name"]: person for person in people}
    wanted = set(unicodedata.normalize("NFC", name).casefold().split())
    found = [person for known, person in by_name.items() if wanted <= set(known.casefold().split())]
    if found:
        outcome = "found" if len(found) == 1 else "ambiguous"
        return {"name": name, "outcome": outcome, "found": [card(person) for person in found]}
    near = difflib.get_close_matches(name, by_name)
    return {"name": name, "outcome": "not_found", "found": [], "did_you_mean": near}


@tool
def find_mentors(house: House, call: Call) -> Answer:
    mentors = [person for person in house.people if person["tier"] == "mentor"]
    topic = call.params.get("topic")
    chosen = search(mentors, topic) if topic and stems(topic) else mentors
    shown = [with_office_hours(house, call, person) for person in chosen]
    data: Json = {"mentors": shown, "totalCount": len(shown)}
    if not chosen:
        data["others"] = [{"name": m["display_name"], "topics": m["traits"]["skills"]} for m in mentors]
    return done(data)


def with_office_hours(house: House, call: Call, mentor: Json) -> Json:
    now = house.now()
    today = now.date()
    hours = [
        {"date": next_time(entry, now).isoformat(), **entry}
        for entry in house.data["office_hours"]
        if entry["mentor_ref"] == mentor["ref"]
    ]
    with house.lock:
        hours += [
            extra for extra in house.extra_office_hours
            if (extra["mentor_ref"], extra["tenant_id"]) == (mentor["ref"], call.tenant_id)
            and extra["date"] >= today.isoformat()
        ]  # fmt: skip
    shown = [{k: entry[k] for k in ("date", "day", "start", "end", "place")} for entry in hours]
    return {
        "name": mentor["display_name"], "topics": mentor["traits"]["skills"],
        "slack_user_id": mentor["slack_user_id"],
        "office_hours": sorted(shown, key=lambda entry: (entry["date"], entry["start"])),
    }  # fmt: skip


def next_time(entry: Json, now: datetime) -> date:
    """The coming day of a weekly hour: today as long as it is not over."""
    days = (WEEKDAYS.index(entry["day"]) - now.weekday()) % 7
    over = days == 0 and minutes(entry["end"]) <= now.hour * 60 + now.minute
    return now.date() + timedelta(days=7 if over else days)


@tool
def list_room_availability(house: House, call: Call) -> Answer:
    day = coming_day(house, call.params) if {"day", "date"} & set(call.params) else house.now().date()
    with house.lock:
        rooms = [
            {
                "room": name, "floor": room["floor"], "seats": room["seats"], "equipment": room["equipment"],
                "free": spans(house.free(name, day, tenant_id=call.tenant_id)),
                "longest_booking_minutes": room["max_minutes"], "bookable_by_you": call.tier in room["tiers"],
            }
            for name, room in house.rooms.items()
            if call.params.get("room", name) == name and room["seats"] >= call.params.get("seats", 1)
        ]  # fmt: skip
    return done({"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()].title(), "rooms": rooms})


@tool
def list_my_bookings(house: House, call: Call) -> Answer:
    with house.lock:
        mine = [booking.as_json() for booking in house.upcoming(tenant_id=call.tenant_id, ref=call.ref)]
    return done({"bookings": mine, "totalCount": len(mine)})


@tool
def export_attendance(house: House, call: Call) -> Iterator[Json]:
    """A long answer as a stream: progress lines while it works, then exactly one result line.

    Root shows each message to the person who waits. The time limit covers the whole stream, so a
    progress line buys no time; a stream without a result line counts as failed.
    """
    name = call.params["event"]
    event = house.data["events"][name]
    weeks = call.params.get("weeks", 4)
    today = house.now().date()
    latest = today - timedelta(days=(today.weekday() - WEEKDAYS.index(event["day"]) - 1) % 7 + 1)
    rows = []
    for back in range(weeks):
        day = (latest - timedelta(weeks=back)).isoformat()
        yield {"type": "progress", "message": f"Reading the sign-in book, week {back + 1} of {weeks} ({day})"}
        time.sleep(house.settings.stream_pause)
        rows.append({"date": day, "attended": event["usual"] + zlib.crc32(f"{name} {day}".encode()) % 9 - 4})
    csv = "\n".join(["date,attended", *(f"{row['date']},{row['attended']}" for row in rows)])
    total = sum(row["attended"] for row in rows)
    data = {"event": name, "weeks": weeks, "total": total, "rows": rows, "csv": csv}
    yield {"type": "result", **done(data)}


@tool
def slow_report(_house: House, call: Call) -> Answer:
    """Waits as long as it is told. The manifest gives it three seconds: ask for more, and Root gives up."""
    time.sleep(call.params.get("seconds", 1))
    return done({"turbine": "mill race", "unit": "kWh", "this_week": 412.5, "share_of_house": "31 %"})


@tool
def get_door_status(house: House, call: Call) -> Answer:
    """With --test-tools, `fail_first` makes the first attempts of an invocation fail with 502.

    Root then repeats the same invocation, as it does after 503, 504 and broken connections.
    """
    with house.lock:
        house.attempts[call.invocation_id] = attempt = house.attempts.get(call.invocation_id, 0) + 1
        if len(house.attempts) > REMEMBERED_INVOCATIONS:
            del house.attempts[next(iter(house.attempts))]
    if attempt <= call.params.get("fail_first", 0):
        raise RequestError("The door controller did not answer.", status=502)
    now = house.now()
    doors = [door_state(name, door, now) for name, door in house.data["doors"].items()]
    asked = call.params.get("door")
    return done({"as_of": f"{now:%H:%M}", "doors": [door for door in doors if asked in (None, door["door"])]})


def door_state(name: str, door: Json, now: datetime) -> Json:
    minute = now.hour * 60 + now.minute
    today = WEEKDAYS[now.weekday()] in door["unlocked_days"]
    is_open = today and minutes(door["from"]) <= minute < minutes(door["until"])
    hours = f"weekdays {door['from']}–{door['until']}" if door["unlocked_days"] else "always by code"
    state = "open" if is_open else "locked"
    return {"door": name, "street": door["street"], "state": state, "open_hours": hours}


@tool
def show_floor_plan(house: House, call: Call) -> Answer:
    """`images` stands beside `data`: Root takes it off before the model reads and attaches the pictures."""
    marked = call.params.get("room")
    shown = {name: f"{room['floor']}, {room['seats']} seats" for name, room in house.rooms.items()}
    image = {
        "name": "tidemill-house.png", "contentType": "image/png",
        "base64": base64.b64encode(draw_plan(house.rooms, marked)).decode(),
    }  # fmt: skip
    return done({"rooms_by_floor": shown, "marked": marked, "picture": "attached"}, images=[image])


def draw_plan(rooms: dict[str, Json], marked: str | None, *, side: int = 14, scale: int = 20) -> bytes:
    """Rooms as rectangles on a grid, as a PNG with a palette: paper, room, marked room."""
    grid = [bytearray(side) for _ in range(side + 1)]
    for name, room in rooms.items():
        left, top, width, height = room["plan"]
        for row in grid[top : top + height]:
            row[left : left + width] = bytes([2 if name == marked else 1]) * width
    lines = b"".join((b"\0" + bytes(cell for cell in row for _ in range(scale))) * scale for row in grid)
    header = struct.pack(">IIBBBBB", side * scale, (side + 1) * scale, 8, 3, 0, 0, 0)
    palette = bytes.fromhex("f6f1e7 8fb3b0 d9733f")
    chunks = [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


@tool
def list_open_tickets(house: House, _call: Call) -> Answer:
    today = house.now().date()
    tickets = [
        {
            "id": entry["id"], "title": entry["title"], "owner": entry["owner"],
            "reported_by": house.name_of(entry["reported_by"]),
            "reported_on": (today - timedelta(days=entry["days_ago"])).isoformat(),
        }
        for entry in house.data["open_tickets"]
    ]  # fmt: skip
    with house.lock:
        handed_over = list(house.escalations)[-20:]
    return done({"tickets": tickets, "handed_over_by_root": handed_over})


# --- 5 tools that act -------------------------------------------------------------------------------------
# They run under `House.once`, which holds the lock: what they check stays true until they have written.


@tool
def book_room(house: House, call: Call) -> Answer:
    name = call.params["room"]
    room = house.rooms[name]
    if call.tier not in room["tiers"]:
        raise ToolError(f"The {name} can be booked by: {', '.join(room['tiers'])}.")
    if not call.ref:
        raise ToolError("A booking needs to know who it is for.")
    day = coming_day(house, call.params)
    start = quarter_hour(house, call.params["start"], day)
    length = call.params.get("minutes", 60)
    if length % 15 or length > room["max_minutes"]:
        raise ToolError(f"The {name} is booked by quarter hours, for {room['max_minutes']} minutes at most.")
    if len(house.upcoming(tenant_id=call.tenant_id, ref=call.ref)) >= house.data["upcoming_per_person"]:
        raise ToolError("You already have three coming bookings; cancel one first.")
    free = house.free(name, day, tenant_id=call.tenant_id)
    if not any(gap_start <= start and start + length <= gap_end for gap_start, gap_end in free):
        left = ", ".join(spans(free)) or "nothing"
        raise ToolError(
            f"The {name} is not free from {clock(start)} to {clock(start + length)} on {spoken(day)}. "
            f"Still free that day: {left}."
        )
    booking = Booking(
        id=f"B-{secrets.token_hex(4)}", tenant_id=call.tenant_id, ref=call.ref, room=name, day=day,
        start=start, end=start + length, title=call.params.get("title", "Meeting").strip(),
    )  # fmt: skip
    house.bookings[booking.id] = booking
    return done({"booked": booking.as_json()})


@tool
def cancel_booking(house: House, call: Call) -> Answer:
    booking = house.bookings.get(call.params["booking_id"].strip())
    # Somebody else's booking answers like one that does not exist.
    if booking is None or (booking.tenant_id, booking.ref) != (call.tenant_id, call.ref):
        raise ToolError("You have no booking with this id.")
    del house.bookings[booking.id]
    return done({"cancelled": booking.as_json()})


@tool
def print_badge(_house: House, _call: Call) -> Answer:
    """A failure that is an answer: HTTP 200 and success false, with a sentence for the person."""
    raise ToolError(
        "The badge printer is out of ribbon (ticket T-207). The front desk writes badges by hand."
    )


@tool
def open_office_hour(house: House, call: Call) -> Answer:
    mentor = house.person(call.ref)
    if mentor is None or mentor["tier"] != "mentor":
        raise ToolError("Only mentors of the house can open office hours.")
    day = coming_day(house, call.params)
    start = quarter_hour(house, call.params["start"], day)
    end = start + call.params.get("minutes", 60)
    if end % 15 or end > minutes(house.data["bookable_until"]):
        raise ToolError("An office hour ends on a quarter hour, by 22:00.")
    entry = {
        "mentor_ref": call.ref, "tenant_id": call.tenant_id, "date": day.isoformat(),
        "day": WEEKDAYS[day.weekday()], "start": clock(start), "end": clock(end), "place": "by video",
    }  # fmt: skip
    house.extra_office_hours = [*house.extra_office_hours, entry][-200:]
    return done({"opened": {key: entry[key] for key in ("date", "day", "start", "end", "place")}})


# --- 6 routes ---------------------------------------------------------------------------------------------


def build_manifest(*, test_tools: bool) -> Json:
    manifest: Json = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    offered = {entry["name"] for entry in manifest["tools"]}
    if offered != set(TOOLS):
        raise SystemExit(f"manifest.json and the tools disagree about: {sorted(offered ^ set(TOOLS))}")
    if test_tools:
        door = next(entry for entry in manifest["tools"] if entry["name"] == "get_door_status")
        door["parameters"]["properties"]["fail_first"] = {"type": "integer", "minimum": 0, "maximum": 10}
    return manifest


def invoke(house: House, name: str, body: Json) -> Answer:
    entry = next((entry for entry in house.manifest["tools"] if entry["name"] == name), None)
    if entry is None:
        raise RequestError(f"There is no tool called {name[:80]!a}.", status=404)
    call = Call.parse(body)
    try:
        # Root only offers tools to the tiers the manifest names; checking again costs nothing and holds
        # when an override on Root's side is wider than meant.
        check_access(entry, call)
        check_params(call.params, entry["parameters"])
        if entry.get("read_only"):
            return TOOLS[name](house, call)
        return house.once(call, name, lambda: settle(house, name, call))
    except ToolError as error:
        return {"success": False, "error": str(error)}


def settle(house: House, name: str, call: Call) -> Json:
    """A refusal is remembered like a success: the repeated call must not fare better than the first."""
    try:
        return cast(Json, TOOLS[name](house, call))
    except ToolError as error:
        return {"success": False, "error": str(error)}


def check_access(entry: Json, call: Call) -> None:
    held = {call.tier, "__admin__"} if call.is_admin else {call.tier}
    if not held & set(entry["tiers"]) or (entry.get("admin_only") and not call.is_admin):
        raise ToolError("This is not available to you.")


def identity(person: Json) -> Json:
    shown = ("display_name", "tier", "is_admin", "traits", "email", "profile_context")
    return {"principal_ref": person["ref"], **{key: person[key] for key in shown}}


def resolve_identity(house: House, body: Json) -> Json:
    """Who is this? Unknown people are null, never an error; Root then applies the community's own policy."""
    slack_user_id = text(body, "slack_user_id").strip()
    email = unicodedata.normalize("NFC", text(body, "email")).strip().casefold()
    if not slack_user_id and not email:
        raise RequestError("Give a slack_user_id or an email.")
    by_slack = (
        person for person in house.people if slack_user_id and person["slack_user_id"] == slack_user_id
    )
    by_email = (person for person in house.people if email and person["email"].casefold() == email)
    person = next(by_slack, None) or next(by_email, None)
    if person is None:
        return {"principal": None, "acts_for": None}
    return {"principal": identity(person), "acts_for": acts_for(house, person, channel=text(body, "channel"))}


def acts_for(house: House, person: Json, *, channel: str) -> Json | None:
    """An assistant writes mail for somebody else: say for whom, and Root asks before acting."""
    mandate: Json = person.get("acts_for") or {}
    principal = house.person(text(mandate, "ref")) if channel == "email" else None
    return {"reason": mandate["reason"], "principal": identity(principal)} if principal else None


def roster(house: House, _body: Json) -> Json:
    return {"principals": [{**identity(p), "slack_user_id": p["slack_user_id"]} for p in house.people]}


def issue_link(house: House, body: Json) -> Json:
    """A fresh address for one person. A real backend stores the ticket and lets it expire."""
    details = {entry["destination"]: entry for entry in house.manifest["link_destination_details"]}
    entry = details.get(text(body, "destination"))
    if entry is None:
        raise RequestError("There is no such destination.", status=404)
    if house.person(text(body, "principal_ref")) is None:
        raise RequestError("Nobody here has this principal_ref.", status=404)
    return {"url": f"{house.settings.public_url}{entry['path']}?ticket={secrets.token_urlsafe(18)}"}


KEPT_OF_AN_ESCALATION = (
    "type", "tenant_id", "intervention_id", "principal_ref", "user_name", "channel", "tier",
    "escalation_reason", "user_request_summary", "what_was_checked",
)  # fmt: skip


def receive_escalation(house: House, body: Json) -> Json:
    """Somebody should look at this. Other kinds of notice come here too and differ in `type`."""
    if not text(body, "type"):
        raise RequestError("type is missing.")
    kept = {key: text(body, key)[:4000] for key in KEPT_OF_AN_ESCALATION if text(body, key)}
    with house.lock:
        # The same notice may be delivered again; `intervention_id` tells that it is the same one.
        if "intervention_id" not in kept or all(kept.items() - known.items() for known in house.escalations):
            house.escalations.append({**kept, "received_at": house.now().isoformat(timespec="seconds")})
    return {"success": True}


def list_escalations(house: House, _body: Json) -> Json:
    """Not part of the protocol: lets you see what arrived."""
    with house.lock:
        return {"escalations": list(house.escalations)}


ROUTES: dict[tuple[str, str], Callable[[House, Json], Json]] = {
    ("GET", "/integration/manifest"): lambda house, _body: house.manifest,
    ("POST", "/integration/identity/resolve"): resolve_identity,
    ("GET", "/integration/identity/roster"): roster,
    ("POST", "/integration/links/issue"): issue_link,
    ("POST", "/integration/escalations"): receive_escalation,
    ("GET", "/integration/escalations"): list_escalations,
}
TOOL_PATH = "/integration/tools/"


def route(house: House, method: str, path: str, body: bytes) -> Answer:
    if path.startswith(TOOL_PATH) and method == "POST":
        return invoke(house, unquote(path.removeprefix(TOOL_PATH)), parse_object(body))
    handler = ROUTES.get((method, path))
    if handler is not None:
        return handler(house, parse_object(body) if method == "POST" else {})
    known = path.startswith(TOOL_PATH) or any(path == known_path for _, known_path in ROUTES)
    raise RequestError("Method not allowed." if known else "Not found.", status=405 if known else 404)


# --- 7 the server -----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Settings:
    public_url: str
    stream_pause: float


class Server(ThreadingHTTPServer):
    request_queue_size = 128


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "TidemillHouse"
    sys_version = ""
    disable_nagle_algorithm = True  # or a short answer waits for the other side's delayed ACK
    timeout = 30  # a connection that sends nothing is let go
    house: ClassVar[House]
    # Two while Root changes its own: calls under way still carry the old one.
    secrets: ClassVar[tuple[str, ...]]

    def handle_signed(self) -> None:
        try:
            self.answer(self.respond())
        except RequestError as error:
            self.answer({"success": False, "error": str(error)}, status=error.status)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception:  # noqa: BLE001 - the caller gets a sentence, the details stay in our own log
            traceback.print_exc()
            self.answer({"success": False, "error": "Something went wrong here."}, status=500)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_signed  # noqa: N815

    def respond(self) -> Answer:
        body = self.read_body()
        # Before anything is parsed or looked up: a stranger learns nothing, not even which paths exist.
        timestamp = self.headers.get("x-root-timestamp", "")
        signature = self.headers.get("x-root-signature", "")
        if not any(is_signed(s, timestamp=timestamp, signature=signature, body=body) for s in self.secrets):
            raise RequestError("The signature is missing, wrong or too old.", status=401)
        return route(self.house, self.command, urlsplit(self.path).path, body)

    def read_body(self) -> bytes:
        length = self.headers.get("content-length", "0")
        if self.headers.get("transfer-encoding") or not re.fullmatch(r"[0-9]{1,18}", length):
            self.close_connection = True
            raise RequestError("The request must state its Content-Length.", status=411)
        if int(length) > MAX_BODY_BYTES:
            self.close_connection = True  # the rest of the body is left unread
            raise RequestError(f"The body may have {MAX_BODY_BYTES} bytes at most.", status=413)
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            raise RequestError("The body is shorter than announced.")
        return body

    def answer(self, payload: Answer, *, status: int = 200) -> None:
        if isinstance(payload, dict):
            body = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)
        else:
            self.stream(payload)

    def stream(self, lines: Iterator[Json]) -> None:
        """One JSON object a line, sent as it comes; HTTP/1.1 chunks, since the length is not known yet."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for line in lines:
                self.send_chunk(json.dumps(line).encode() + b"\n")
        except (ConnectionError, TimeoutError):
            raise
        except Exception:  # noqa: BLE001 - the status has been sent: the failure must be a result line
            traceback.print_exc()
            failed = {"type": "result", "success": False, "error": "The export broke off."}
            self.send_chunk(json.dumps(failed).encode() + b"\n")
        self.wfile.write(b"0\r\n\r\n")

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses by itself (bad request lines, unknown methods), as JSON too."""
        self.close_connection = True
        self.answer({"success": False, "error": message or explain or "Refused."}, status=int(code))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Method, path and status; never headers or bodies."""
        sys.stderr.write(f"{datetime.now(self.house.zone):%H:%M:%S} {format % args}\n")


def read_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Reference tenant backend for root-int/1.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8099, help="0 takes a free port")
    parser.add_argument("--port-file", type=Path, help="the port is written here once the server listens")
    parser.add_argument("--secret", help="better given as ROOT_SIGNING_SECRET, which no process list shows")
    parser.add_argument("--former-secret", default="", help="accepted too; or FORMER_SIGNING_SECRET")
    parser.add_argument("--people", type=Path, default=PEOPLE)
    parser.add_argument("--public-url", default=PUBLIC_URL, help="where personal links lead")
    parser.add_argument("--stream-pause", type=float, default=0.4, help="seconds between progress lines")
    parser.add_argument("--test-tools", action="store_true", help="let get_door_status fail when asked to")
    arguments = parser.parse_args(argv)
    if arguments.secret is None:
        arguments.secret = os.environ.get("ROOT_SIGNING_SECRET", "")
    if not arguments.secret.strip():
        # An empty key would make every signature a stranger computes with it a good one.
        parser.error("a signing secret is needed: --secret or ROOT_SIGNING_SECRET")
    arguments.former_secret = arguments.former_secret or os.environ.get("FORMER_SIGNING_SECRET", "")
    return arguments


def main() -> None:
    arguments = read_arguments()
    Handler.secrets = tuple(s for s in (arguments.secret, arguments.former_secret) if s.strip())
    Handler.house = House(
        people=json.loads(arguments.people.read_text(encoding="utf-8")),
        data=json.loads((DATA / "house.json").read_text(encoding="utf-8")),
        manifest=build_manifest(test_tools=arguments.test_tools),
        settings=Settings(public_url=arguments.public_url.rstrip("/"), stream_pause=arguments.stream_pause),
    )
    server = Server((arguments.host, arguments.port), Handler)
    if arguments.port_file:
        waiting = arguments.port_file.with_suffix(".new")
        waiting.write_text(f"{server.server_port}\n", encoding="utf-8")
        waiting.replace(arguments.port_file)  # whoever waits for the file never reads half a number
    print(f"Tidemill House answers at http://{arguments.host}:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
