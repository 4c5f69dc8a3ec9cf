"""Tool calls written out as JSON, in any of the shapes that models have learnt (contract §4.4)."""

import json
import re
from collections.abc import Collection
from typing import Any

_SAID_BY = ("tool", "tool_name", "function", "function_name", "recipient_name", "action")
_NAME_KEYS = ("name", *_SAID_BY)
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_WRAPPERS = ("tool_calls", "tool_uses", "function_call", "function_calls", "tool_call")
_OPENING = re.compile(
    r"(?:(?<![^\s\-*])(?P<name>[\w-]{1,64})[ \t]?:?[ \t]?)?(?P<json>[\[{])(?=\s{0,5}[\"'{\[])"
)
_NAMED = re.compile(
    rf"[\"'](?P<key>{'|'.join(_NAME_KEYS)})[\"']\s{{0,5}}:\s{{0,5}}[\"'](?P<name>[\w.-]{{1,80}})[\"']"
)
_CARRIES = re.compile(rf"[\"'](?:{'|'.join(_ARGUMENT_KEYS)})[\"']\s{{0,5}}:")
_JSON_OPENING = re.compile(r'[\[{\s]{1,6}"(?P<key>\w{1,20})"\s{0,5}:')
_BRACES = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_DECODER = json.JSONDecoder()
# What may be spent on text that opens like JSON and is none, in characters looked at.
_PATIENCE = 2_000_000
_FAILED_LOOK = 100


def without_json_calls(text: str, *, tools: Collection[str]) -> str:
    """Only calls that name one of our tools go, and with them the whole value in which they stand."""
    if not any(name in text for name in tools):
        return text
    kept: list[str] = []
    position, patience = 0, _PATIENCE
    for opening in _OPENING.finditer(text):
        start = opening.start("json")
        if start < position or patience <= 0:
            continue
        end, is_call, cost = _look_at(text, start, tools=tools)
        patience -= cost
        led_by_name = opening["name"] in tools if opening["name"] else False
        if is_call or (led_by_name and end > start + 1):
            kept.append(text[position : opening.start() if led_by_name else start])
            position = end
        elif end > start + 1:
            kept.append(text[position:end])
            position = end
    return "".join([*kept, text[position:]])


def is_json_call(text: str, *, tools: Collection[str] | None) -> bool:
    """One call, or nothing but calls one after the other. `tools` None: any name will do."""
    if not text.startswith(("{", "[")):
        return False
    position = 0
    try:
        while position < len(text):
            value, end = _DECODER.raw_decode(text, position)
            if not _has_call_shape(value, tools=tools):
                return False
            position = len(text) - len(text[end:].lstrip(" \t\r\n,;")) if end - position > 1 else end
    except (ValueError, RecursionError):
        broken = tools is not None and position == 0 and _is_broken_call(text, tools=tools)
        return broken or (tools is None and _looks_cut_off(text))
    return True


def _look_at(text: str, start: int, *, tools: Collection[str]) -> tuple[int, bool, int]:
    """Where the value ends, whether it holds a call, and what it cost to find out."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if not _NAMED.match(text, _first_key(text, start)):
            return start + 1, False, error.pos - start + _FAILED_LOOK
    except (ValueError, RecursionError):
        return start + 1, False, _PATIENCE // 5
    else:
        return end, _holds_call(value, tools=tools), 0
    end = _end_of_braces(text, start)
    is_call = _is_broken_call(text[start:end], tools=tools)
    return (end if is_call else start + 1), is_call, end - start + _FAILED_LOOK


def _first_key(text: str, start: int) -> int:
    while start < len(text) and text[start] in "[{ \t\r\n":
        start += 1
    return start


def _end_of_braces(text: str, start: int) -> int:
    """The end of the text, if they are never closed: a call the model could not finish."""
    depth, quoted = 0, False
    for mark in _BRACES.finditer(text, start):
        char = mark.group()
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "[{":
            depth += 1
        elif not quoted and char in "]}":
            depth -= 1
            if depth <= 0:
                return mark.end()
    return len(text)


def _is_broken_call(text: str, *, tools: Collection[str]) -> bool:
    """Quoted as Python does it, or cut off."""
    named = _NAMED.search(text)
    if named is None or named["name"] not in tools:
        return False
    return named["key"] != "name" or _CARRIES.search(text) is not None


def _looks_cut_off(text: str) -> bool:
    opening = _JSON_OPENING.match(text)
    if opening is None:
        return False
    named = opening["key"] in _NAME_KEYS and any(f'"{key}"' in text for key in _ARGUMENT_KEYS)
    return named or opening["key"] in _WRAPPERS


def _holds_call(value: Any, *, tools: Collection[str]) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if _is_one_call(item, tools=tools):
                return True
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False


def _has_call_shape(value: Any, *, tools: Collection[str] | None) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_has_call_shape(item, tools=tools) for item in value)
    if not isinstance(value, dict):
        return False
    inner = next(
        (value[key] for key in (*_WRAPPERS, "function") if isinstance(value.get(key), (list, dict))), None
    )
    return _is_one_call(value, tools=tools) if inner is None else _has_call_shape(inner, tools=tools)


def _is_one_call(value: dict[str, Any], *, tools: Collection[str] | None) -> bool:
    """With our own tools, a key that speaks of tools is enough: its arguments may lie flat beside it."""
    carries = any(isinstance(value.get(key), (dict, str)) for key in _ARGUMENT_KEYS)
    keys = _NAME_KEYS if carries else _SAID_BY if tools is not None else ()
    names = [value[key] for key in keys if isinstance(value.get(key), str)]
    return bool(names) and (tools is None or any(name in tools for name in names))
