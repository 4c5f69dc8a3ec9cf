"""Tool calls written out as code: on a line, in backticks, as a list (contract §4.4)."""

import re
from collections.abc import Collection

_NAME = r"(?:print\()?(?:[a-z_]{1,30}\.)?(?P<name>[A-Za-z_][\w-]{0,63})"
_CODE_CALL = re.compile(rf"{_NAME}\(.*\)", re.DOTALL)
_LINE = re.compile(
    rf"^[ \t]{{0,20}}(?:[-*][ \t]|\d{{1,2}}[.)][ \t])?`?{_NAME}\((?:[^\n]*\)|[^()]{{0,2000}}\){{1,2}})`?;?[ \t]*$",
    re.MULTILINE,
)
# In backticks only with a value in it: `search(q)` speaks of the tool.
_INLINE = re.compile(rf"`{_NAME}\((?=[^`\n]{{0,200}}[='\"\d])[^`\n]{{0,2000}}\)`")
_LISTED = re.compile(r"\[(?P<name>[A-Za-z_][\w-]{0,63})\(")
_LONGEST_LIST = 2_000


def is_code_call(text: str, *, tools: Collection[str]) -> bool:
    match = _CODE_CALL.fullmatch(text.strip())
    return match is not None and match["name"] in tools


def without_code_calls(text: str, *, tools: Collection[str]) -> str:
    if not any(f"{name}(" in text for name in tools):
        return text
    for form in (_LINE, _INLINE):
        text = form.sub(lambda call: "" if call["name"] in tools else call.group(), text)
    return _without_lists(text, tools=tools)


def _without_lists(text: str, *, tools: Collection[str]) -> str:
    kept: list[str] = []
    position = 0
    for opening in _LISTED.finditer(text):
        if opening.start() < position or opening["name"] not in tools:
            continue
        end = text.find(")]", opening.end(), opening.end() + _LONGEST_LIST)
        if end >= 0:
            kept.append(text[position : opening.start()])
            position = end + 2
    return "".join([*kept, text[position:]])
