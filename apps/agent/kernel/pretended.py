"""Tool calls written out as text: they did not happen, and nobody should read them (contract §4.4).

The order of the passes: marked and tagged forms first, since they may hold fences and JSON; then whole fences; then
what may stand in prose, which is looked for only outside the fences that are left, because those show something.
"""

import re
from collections.abc import Callable, Collection

from apps.agent.kernel.pretended_code import is_code_call, without_code_calls
from apps.agent.kernel.pretended_json import is_json_call, without_json_calls
from apps.agent.kernel.pretended_tags import without_named, without_tagged

# What follows tells a call from a sentence about the marker.
_MARKED = re.compile(
    r"<\|(?:tool_calls?|python_tag)\w{0,20}\|>(?=\s{0,5}(?:[\[{<]|[\w.]{1,80}[({\n:]|\Z))"
    r".*?(?:<\|tool_calls?_(?:section_)?end\|>|\Z)"
    r"|<｜tool▁(?:call|output)s?▁begin｜>.*?(?:<｜tool▁(?:call|output)s▁end｜>|\Z)"
    r"|\[TOOL_CALLS\](?=\s{0,5}(?:[\[{]|[\w.-]{1,64}[ ]?(?:\[ARGS\]|[\[{(])|\Z)).*\Z",
    re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(
    r"```(?P<kind>[\w+-]{0,30})[ \t]*\n(?P<body>.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE
)
_HARMONY = re.compile(
    r"(?:<\|start\|>\w{0,20})?(?:<\|channel\|>\w{0,20}\s{0,5})?\bto=(?:functions\.)?[\w.-]{1,80}"
    r"(?=\s{0,5}(?:(?:json|code)\b\s{0,5})?(?:<\||\{|\Z)).*?(?:<\|call\|>|\Z)",
    re.DOTALL,
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
    rest = _HARMONY.sub("", _MARKED.sub("", text))
    rest = without_tagged(rest, tools=tools, spared=[block.span() for block in _FENCE.finditer(rest)])
    rest = _FENCE.sub(lambda block: "" if _fence_pretends(block, tools=tools) else block.group(), rest)
    rest = _REACT.sub(
        lambda act: "" if act["name"] in tools else act.group(), without_named(rest, tools=tools)
    )
    rest = _outside_fences(_LEFT_OPEN.sub("", rest), lambda part: without_code_calls(part, tools=tools))
    rest = _outside_fences(rest, lambda part: without_json_calls(part, tools=tools))
    bare = rest.strip()
    return "" if is_json_call(bare, tools=None) or is_code_call(bare.strip("`"), tools=tools) else rest


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    kept: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        kept += [change(text[position : fence.start()]), fence.group()]
        position = fence.end()
    return "".join([*kept, change(text[position:])])


def _fence_pretends(block: re.Match[str], *, tools: Collection[str]) -> bool:
    body = block["body"].strip()
    if block["kind"].lower() in _CALL_FENCES or is_code_call(body, tools=tools):
        return True
    if body and not without_code_calls(body, tools=tools).strip():
        return True
    tagged = not without_tagged(body, tools=tools, spared=[]).strip() and any(name in body for name in tools)
    return tagged or is_json_call(body, tools=tools)
