"""Tool calls written out as JSON, in any of the shapes that models have learnt (contract §4.4)."""

import json
import re
from collections.abc import Collection
from itertools import islice
from typing import Any

_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "recipient_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_WRAPPERS = ("tool_calls", "tool_uses", "function_call", "function_calls", "tool_call")
_JSON_LINE = re.compile(r"^[ \t]*(?=[\[{])", re.MULTILINE)
_JSON_OPENING = re.compile(r'[\[{\s]{1,6}"(?P<key>\w{1,20})"\s{0,5}:')
_FIRST_KEYS = "|".join((*_NAME_KEYS, *_ARGUMENT_KEYS, *_WRAPPERS, "type", "id"))
_CALL_OPENING = re.compile(rf'(?:\[\s{{0,5}})?\{{\s{{0,5}}"(?:{_FIRST_KEYS})"\s{{0,5}}:')
_DECODER = json.JSONDecoder()
# Each is decoded once; nobody acts out more, and hostile text must not cost more.
_MOST_CALLS = 20


def without_json_calls(text: str, *, tools: Collection[str]) -> str:
    """Within a text only calls that name one of our tools are taken out."""
    kept: list[str] = []
    position = 0
    for opening in islice(_CALL_OPENING.finditer(text), _MOST_CALLS):
        end = _end_of_call(text, opening.start(), tools=tools) if opening.start() >= position else None
        if end is not None:
            kept.append(text[position : opening.start()])
            position = end
    return "".join([*kept, text[position:]])


def _end_of_call(text: str, start: int, *, tools: Collection[str]) -> int | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        rest = text[start:]
        named = any(f'"{name}"' in rest for name in tools)
        return len(text) if named and _looks_cut_off(rest) else None
    return end if _has_call_shape(value, tools=tools) else None


def without_last_call(text: str, *, tools: Collection[str]) -> str:
    """An announcement with the call as JSON below it."""
    start = _JSON_LINE.search(text)
    if start is None or not is_json_call(text[start.end() :].strip(), tools=tools):
        return text
    return text[: start.start()]


def is_json_call(text: str, *, tools: Collection[str] | None) -> bool:
    """`tools` None: any name will do."""
    if not text.startswith(("{", "[")):
        return False
    try:
        return _has_call_shape(json.loads(text), tools=tools)
    except (ValueError, RecursionError):
        return tools is None and _looks_cut_off(text)


def _looks_cut_off(text: str) -> bool:
    """A call the model could not finish is one too."""
    opening = _JSON_OPENING.match(text)
    if opening is None:
        return False
    named = opening["key"] in _NAME_KEYS and any(f'"{key}"' in text for key in _ARGUMENT_KEYS)
    return named or opening["key"] in _WRAPPERS


def _has_call_shape(value: Any, *, tools: Collection[str] | None) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_has_call_shape(item, tools=tools) for item in value)
    if not isinstance(value, dict):
        return False
    inner = next(
        (value[key] for key in (*_WRAPPERS, "function") if isinstance(value.get(key), (list, dict))), None
    )
    if inner is not None:
        return _has_call_shape(inner, tools=tools)
    names = [value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)]
    carries = any(isinstance(value.get(key), (dict, str)) for key in _ARGUMENT_KEYS)
    return carries and bool(names) and (tools is None or any(name in tools for name in names))
