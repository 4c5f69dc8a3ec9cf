"""Filling a tool's parameters from what a message says; what it does not say is left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from scripts.offline_model.tools import VERBS, Json, OfferedTool
from scripts.offline_model.words import EMPTY, content, stem, vocabulary, words

_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_SEARCH = vocabulary("query q search question keyword keywords term terms text")
_TOPIC = vocabulary("topic subject theme skill")
_WORDS_OF_THE_PERSON = vocabulary(
    """
    instruction instructions message note details request reason description complaint summary
    """
)
_UNITS = {"hour": 60, "minute": 1}
_SAID_FOR = {"seat": {"people", "person", "participant"}, "limit": {"top", "first"}}
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.h]([0-5]\d)\b")
_HALF_DAY = re.compile(r"\b(1[0-2]|0?[1-9])\s?([ap])\.?m\b", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://[^\s<>|]+")
_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)[A-Za-z]{1,12}[-_]?[A-Za-z0-9-]{2,}\b")
_PROPER_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w'’-]+(?:\s+[^\W\d_a-z][\w'’-]+)*")


def fill(tool: OfferedTool, *, message: str, part: str, latest: str) -> Json | None:
    """Arguments drawn from the message and the part of it the tool answers; None when a needed one is missing.

    The message may bring along an earlier question; what the latest one says goes before it.
    """
    filled: Json = {}
    for name, schema in tool.properties.items():
        if isinstance(schema.get("enum"), list):
            value = next(
                (found for text in (latest, part, message) if (found := _choice(schema["enum"], text))), None
            )
        else:
            value = _value(name, schema, tool=tool, message=message, part=part)
        if value is not None:
            filled[name] = value
    filled = _without_rivals(filled, tool)
    if not set(tool.required) <= set(filled):
        return None
    return filled


def _value(name: str, schema: Json, *, tool: OfferedTool, message: str, part: str) -> Any:
    kind = schema.get("type")
    if kind in ("integer", "number"):
        said = _number(name, message)
        return _bounded(_span(name, message) if said is None else said, schema)
    if kind == "array":
        return names(message) if set(words(name.replace("_", " "))) & {"names", "people"} else None
    if kind == "string" or kind is None:
        return _text(name, schema, tool=tool, message=message, part=part)
    return None


def _text(name: str, schema: Json, *, tool: OfferedTool, message: str, part: str) -> str | None:
    said = frozenset(words(name.replace("_", " ")))
    found: str | None = None
    for hints, derive in _DERIVATIONS:
        if said & hints:
            found = derive(message)
            break
    else:
        if said & _TOPIC:
            found = _topic(part, tool)
        elif said & _SEARCH:
            found = part
        elif tool.changes_something and said & _WORDS_OF_THE_PERSON:
            found = message
    longest = schema.get("maxLength")
    found = found[:longest] if found and isinstance(longest, int) else found
    return found or None


def _topic(part: str, tool: OfferedTool) -> str:
    """The part without the words that only name the tool: "who can help me with pricing" is about pricing."""
    general = tool.object_stems | {"help", "talk", "ask", "contact"}
    kept = [word for word in content(part) if stem(word) not in general and word not in VERBS]
    return " ".join(kept)


def _choice(values: list[Any], text: str) -> Any:
    """The value whose words stand in the text, or whose one telling word does."""
    said = words(text)
    options = {value: words(value) for value in values if isinstance(value, str)}
    for value, its_words in options.items():
        if its_words and _contains(said, its_words):
            return value
    for value, its_words in options.items():
        others = {word for other, found in options.items() if other != value for word in found}
        if any(
            word in said for word in its_words if word not in others and len(word) > 3 and word not in EMPTY
        ):
            return value
    return None


def _contains(said: list[str], phrase: list[str]) -> bool:
    return any(said[start : start + len(phrase)] == phrase for start in range(len(said) - len(phrase) + 1))


def _number(name: str, message: str) -> int | None:
    """A number that stands next to the parameter's own word: "the last four weeks"."""
    said = words(message)
    wanted = {stem(word) for word in words(name.replace("_", " "))}
    wanted |= {stem(word) for key in tuple(wanted) for word in _SAID_FOR.get(key, ())}
    for place, word in enumerate(said):
        number = int(word) if word.isdecimal() and len(word) < 7 else _NUMBERS.get(word)
        if number is None or (place == 0 and not word.isdecimal()):
            continue
        after = [stem(other) for other in said[place + 1 : place + 3]]
        if wanted & set(after) or (place and stem(said[place - 1]) in wanted):
            return number
        if "minut" in wanted and (unit := next((u for u in _UNITS if stem(u) in after), None)):
            return number * _UNITS[unit]
    return None


def _span(name: str, message: str) -> int | None:
    """ "From 14:00 to 16:00" is two hours long."""
    times = [int(hour) * 60 + int(minute) for hour, minute in _CLOCK.findall(message)]
    if "minutes" not in words(name.replace("_", " ")) or len(times) != 2 or times[1] <= times[0]:
        return None
    return times[1] - times[0]


def _bounded(number: int | None, schema: Json) -> int | None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if number is None or (isinstance(low, int | float) and number < low):
        return None
    return None if isinstance(high, int | float) and number > high else number


def names(message: str) -> list[str] | None:
    found = [name for name in _PROPER_NAME.findall(message) if name.lower() not in EMPTY]
    return found[:10] or None


def _name(message: str) -> str | None:
    return next(iter(names(message) or ()), None)


def _clock(message: str) -> str | None:
    if match := _CLOCK.search(message):
        return f"{int(match[1]):02}:{match[2]}"
    if match := _HALF_DAY.search(message):
        return f"{int(match[1]) % 12 + (12 if match[2].lower() == 'p' else 0):02}:00"
    return None


def _first(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    def derive(message: str) -> str | None:
        match = pattern.search(message)
        return match.group() if match else None

    return derive


_DERIVATIONS: tuple[tuple[frozenset[str], Callable[[str], str | None]], ...] = (
    (frozenset({"id"}), _first(_IDENTIFIER)),
    (frozenset({"email", "mail"}), _first(_EMAIL)),
    (frozenset({"url", "link", "permalink"}), _first(_URL)),
    (frozenset({"date"}), _first(_DATE)),
    (frozenset({"start", "time", "begin"}), _clock),
    (frozenset({"name", "person", "visitor", "who"}), _name),
)


def _without_rivals(filled: Json, tool: OfferedTool) -> Json:
    """People named one by one are not also searched for by a sentence."""
    if "names" in filled:
        return {name: value for name, value in filled.items() if name not in _SEARCH or name in tool.required}
    return filled
