"""Tool calls written out as text: they did not happen, and nobody should read them (contract §4.4)."""

import json
import re
from bisect import bisect_right
from collections.abc import Collection
from typing import Any

_OPENING = re.compile(
    r"<(?P<tag>(?:antml:)?(?:tool_calls?|function_calls?|invoke|tool_use|tool_code|function(?==)))\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_GOES_ON_LIKE_A_CALL = re.compile(r"\s*[\[{<]")
_MARKED = re.compile(
    r"<\|(?:tool_calls?|python_tag)\w{0,20}\|>.*?(?:<\|tool_calls?_(?:section_)?end\|>|\Z)|\[TOOL_CALLS\].*\Z",
    re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(
    r"```(?P<kind>[\w+-]{0,30})[ \t]*\n(?P<body>.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE
)
_CODE_CALL = re.compile(r"(?:print\()?(?:[a-z_]{1,30}\.)?(?P<name>[A-Za-z_][\w-]{0,63})\(.*\)", re.DOTALL)
_JSON_LINE = re.compile(r"^[ \t]*(?=[\[{])", re.MULTILINE)
_JSON_OPENING = re.compile(r'[\[{\s]{1,6}"(?P<key>\w{1,20})"\s{0,5}:')

_CALL_FENCES = frozenset({"tool_code", "tool_call", "tool_calls"})
_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "recipient_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_WRAPPERS = ("tool_calls", "tool_uses", "function_call", "function_calls", "tool_call")


def without_pretended_calls(text: str, *, tools: Collection[str] = ()) -> str:
    """The text less every call it only acts out; an example that names no tool of ours stays."""
    rest = _without_tagged(_MARKED.sub("", text))
    rest = _FENCE.sub(lambda block: "" if _fence_pretends(block, tools=tools) else block.group(), rest)
    bare = rest.strip()
    if _is_json_call(bare, tools=None) or _is_code_call(bare.strip("`"), tools=tools):
        return ""
    return _without_last_call(rest, tools=tools)


def _without_tagged(text: str, *, fenced: bool = False) -> str:
    """Each closing tag is looked for at most once past the last hit, so hostile nesting costs no time."""
    fences = [] if fenced else [block.span() for block in _FENCE.finditer(text)]
    kept: list[str] = []
    position, unclosed = 0, set[str]()
    for opening in _OPENING.finditer(text):
        if opening.start() < position or _is_inside(opening.start(), fences):
            continue
        end = _end_of(opening, unclosed)
        if end is not None:
            kept.append(text[position : opening.start()])
            position = end
    return "".join([*kept, text[position:]])


def _end_of(opening: re.Match[str], unclosed: set[str]) -> int | None:
    """Without its closing tag the rest of the text is taken only if it goes on like a call."""
    text, tag = opening.string, opening["tag"].lower()
    if tag not in unclosed:
        closing = re.compile(rf"</{tag}\s{{0,5}}>", re.IGNORECASE).search(text, opening.end())
        if closing is not None:
            return closing.end()
        unclosed.add(tag)
    return len(text) if _GOES_ON_LIKE_A_CALL.match(text, opening.end()) else None


def _is_inside(position: int, spans: list[tuple[int, int]]) -> bool:
    """The spans are in order and apart from each other."""
    before = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return before >= 0 and position < spans[before][1]


def _fence_pretends(block: re.Match[str], *, tools: Collection[str]) -> bool:
    body = block["body"].strip()
    if block["kind"].lower() in _CALL_FENCES or _is_code_call(body, tools=tools):
        return True
    tagged = not _without_tagged(body, fenced=True).strip() and any(name in body for name in tools)
    return tagged or _is_json_call(body, tools=tools)


def _without_last_call(text: str, *, tools: Collection[str]) -> str:
    """An announcement with the call as JSON below it."""
    start = _JSON_LINE.search(text)
    if start is None or not _is_json_call(text[start.end() :].strip(), tools=tools):
        return text
    return text[: start.start()]


def _is_json_call(text: str, *, tools: Collection[str] | None) -> bool:
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


def _is_code_call(text: str, *, tools: Collection[str]) -> bool:
    match = _CODE_CALL.fullmatch(text.strip())
    return match is not None and match["name"] in tools
