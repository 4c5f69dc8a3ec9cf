"""Does a text act out a tool call? Such a text is refused whole: nothing of it happened (contract §4.4).

No list of dialects. What gives a call away is the name of an offered tool next to arguments in brackets, as
`named.py` finds it, wherever it stands. Beside that there are marks of chat templates, which count outside code
only, because code shows them; and a text that is nothing but one call, whose tool may be invented.
"""

import html
import re
from collections.abc import Collection

from apps.agent.kernel.call_shapes import SPEAKS_OF_ARGUMENTS
from apps.agent.kernel.code_spans import outside_code
from apps.agent.kernel.named import names_a_call, tags_a_call
from apps.agent.kernel.plain import visible

_MARKS = re.compile(
    r"<[|｜][\w/\"'][^<>\n]{0,60}>|<\w{1,40}[|｜]>"
    r"|\[/?(?:TOOL_CALLS?|TOOL_RESULTS?|AVAILABLE_TOOLS)\]|(?-i:\[/?INST\])|<</?SYS>>"
    r"|</?(?:\w{1,20}:)?(?:tool_(?:call|use|code|response|result|output)s?"
    r"|function_(?:call|response|result)s?|invoke|arg_(?:key|value)|think(?:ing)?|thought)\b|<function="
    r"|</?(?:start|end)_of_turn>|<[be]os>",
    re.IGNORECASE,
)
_CALL_FENCE = re.compile(r"```[ \t]?tool_(?:code|calls?)\b", re.IGNORECASE)
_BARE_CALL = re.compile(
    r"\s*[\[{][\s\[{]*[\"'](?:(?:tool|function|action)_?(?:name|calls?|uses)?|name|type|id)[\"']\s{0,5}:"
)
# The name alone, as a call without arguments is written; cut off in what follows, perhaps.
_BARE_NAME = re.compile(
    r"\s*[\[{](?:[\s\[{:,]|[\"'](?:tool_calls?|function|type|id)[\"'])*[\"']name[\"']\s{0,5}:\s{0,5}"
    r"[\"'](?:functions?[.:])?(?P<name>[\w-]{1,64})[\"'][\s\]},]*(?:[\"']?\w{0,12})?"
)
_FENCED = re.compile(r"\s*```\w{0,10}\s*(?P<code>[\[{][^`]*)```\s*")
_SURE_ARGUMENTS = re.compile(r"[\"'](?:arguments|parameters)[\"']\s{0,5}:\s{0,5}[\"'{]")
# With a body behind it: "the function find_page(…)" is talk, and it may act the call out. So does what has JSON
# where a body would be, and a colon is the mark of a body in Python alone.
_NAMED = r"\s{1,5}([\w-]{1,64})"
_PARAMETERS = r"\s{0,3}\([^()]{0,300}\)"
_RETURNS = r"(?:\s{0,3}(?:->|:)\s{0,3}\w[\w.\[\]|, ]{0,39})?\s{0,3}"
_DEFINITIONS = (
    re.compile(rf"\b(?:def|class){_NAMED}(?:{_PARAMETERS})?{_RETURNS}:(?:[ \t]{{0,20}}\n|[ ][^\s\"'{{\[])"),
    re.compile(rf"\b(?:function|func|fn|class){_NAMED}{_PARAMETERS}{_RETURNS}\{{(?!\s{{0,20}}[\"'])"),
    re.compile(rf"\bclass{_NAMED}\s{{0,3}}\{{(?!\s{{0,20}}[\"'])"),
)
# Markdown shows the character alone.
_ESCAPED = re.compile(r"\\([_()\[\]{}])")


def acts_out_a_call(text: str, *, tools: Collection[str]) -> bool:
    seen = _ESCAPED.sub(r"\1", html.unescape(visible(text)))
    prose = outside_code(seen)
    if _MARKS.search(prose) or _CALL_FENCE.search(seen) or _is_bare_call(seen, tools=tools):
        return True
    # A function that the text itself defines is its own, whatever our tools are called.
    defined = {name for definition in _DEFINITIONS for name in definition.findall(seen)}
    names = frozenset(tools) - defined
    return names_a_call(seen, names=names) or tags_a_call(prose, names=names)


def _is_bare_call(text: str, *, tools: Collection[str]) -> bool:
    fenced = _FENCED.fullmatch(text)
    code = fenced["code"] if fenced else text
    if (named := _BARE_NAME.fullmatch(code)) and named["name"] in tools:
        return True
    speaks = _SURE_ARGUMENTS if fenced else SPEAKS_OF_ARGUMENTS
    return bool(_BARE_CALL.match(code) and speaks.search(code))
