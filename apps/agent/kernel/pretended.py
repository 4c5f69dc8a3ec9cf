"""Tool calls written out as text: they did not happen, and nobody should read them (contract §4.4)."""

import re
from bisect import bisect_right
from collections.abc import Collection

from apps.agent.kernel.pretended_json import is_json_call, without_json_calls, without_last_call

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
_HARMONY = re.compile(
    r"(?:<\|channel\|>\w{0,20}\s{0,5})?\bto=functions\.[\w.-]{1,80}.*?(?:<\|call\|>|\Z)", re.DOTALL
)
_REACT = re.compile(
    r"^Action:[ \t]{0,5}(?P<name>[\w-]{1,64})[ \t]{0,5}\n[ \t]{0,5}Action Input:.*\Z",
    re.DOTALL | re.MULTILINE,
)
_LEFT_OPEN = re.compile(
    r"(?:\s{0,5}</?(?:antml:)?(?:tool_calls?|function_calls?|invoke|tool_use)>){1,20}\s{0,5}\Z"
)

_CALL_FENCES = frozenset({"tool_code", "tool_call", "tool_calls"})


def without_pretended_calls(text: str, *, tools: Collection[str] = ()) -> str:
    """The text less every call it only acts out; an example that names no tool of ours stays."""
    rest = _without_tagged(_HARMONY.sub("", _MARKED.sub("", text)))
    rest = _FENCE.sub(lambda block: "" if _fence_pretends(block, tools=tools) else block.group(), rest)
    rest = _REACT.sub(
        lambda act: "" if act["name"] in tools else act.group(), _without_named(rest, tools=tools)
    )
    rest = _without_json(_LEFT_OPEN.sub("", rest), tools=tools)
    bare = rest.strip()
    return "" if is_json_call(bare, tools=None) or _is_code_call(bare.strip("`"), tools=tools) else rest


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


def _without_json(text: str, *, tools: Collection[str]) -> str:
    """A fence that is still there shows something, perhaps a description of a tool; it is not picked apart."""
    kept: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        kept += [without_json_calls(text[position : fence.start()], tools=tools), fence.group()]
        position = fence.end()
    kept.append(without_json_calls(text[position:], tools=tools))
    return without_last_call("".join(kept), tools=tools)


def _without_named(text: str, *, tools: Collection[str]) -> str:
    """A tool's name as the tag. Only names that no markup has: a tool may be called `table`."""
    for name in tools:
        if "_" in name and f"<{name}>" in text:
            before, _, after = text.partition(f"<{name}>")
            _, closed, rest = after.rpartition(f"</{name}>")
            text = before + (rest if closed else "")
    return text


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
    return tagged or is_json_call(body, tools=tools)


def _is_code_call(text: str, *, tools: Collection[str]) -> bool:
    match = _CODE_CALL.fullmatch(text.strip())
    return match is not None and match["name"] in tools
