"""Tool calls and results written out between tags, and the thinking of a model (contract §4.4)."""

import re
from collections.abc import Collection, Iterator

_OPENING = re.compile(
    r"<(?P<tag>(?:antml:)?(?:tool_calls?|tool_(?:response|result|output)s?|function_(?:response|result)s?"
    r"|function_calls?|invoke|tool_use|tool_code|function(?==)))\b(?P<more>[^<>]{0,300})>",
    re.IGNORECASE,
)
_GOES_ON_LIKE_A_CALL = re.compile(r"\s*(?:[\[{<]|```)")
_FIRST_WORD = re.compile(r"\s*(?P<name>[\w-]{1,64})")
_THOUGHT = re.compile(r"[ \t]*<(?P<tag>think(?:ing)?)>", re.IGNORECASE)


class Closings:
    """Where each tag is closed next; every stretch of text is searched once, so hostile nesting costs no time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, tuple[int, int] | None] = {}

    def after(self, tag: str, position: int) -> tuple[int, int] | None:
        known = self._next.get(tag, (-1, -1))
        if known is None or known[0] >= position:
            return known
        found = re.compile(rf"</{re.escape(tag)}\s{{0,5}}>", re.IGNORECASE).search(self._text, position)
        self._next[tag] = found.span() if found else None
        return self._next[tag]


def without_tagged(text: str, *, tools: Collection[str], spared: list[tuple[int, int]]) -> str:
    """Nothing goes that begins within the spared spans."""
    closings = Closings(text)
    return _without(text, _tagged(text, closings, tools=tools), spared=spared)


def without_named(text: str, *, tools: Collection[str]) -> str:
    """A tool's name as the tag. Only names that no markup has: a tool may be called `table`."""
    names = sorted((name for name in tools if "_" in name and f"<{name}" in text), key=len, reverse=True)
    if not names:
        return text
    opening = re.compile(rf"<(?P<tag>{'|'.join(map(re.escape, names))})(?:\s[^<>]{{0,1000}})?/?>")
    return _without(text, _named(text, opening), spared=[])


def without_thinking(text: str) -> str:
    """Where a reply begins with it. It is no call, so taking it out makes nothing of the rest an announcement."""
    closings, position = Closings(text), 0
    while opening := _THOUGHT.match(text, _past_space(text, position)):
        closing = closings.after(opening["tag"].lower(), opening.end())
        if closing is None:
            return ""
        position = closing[1]
    return text[position:]


def _past_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _tagged(text: str, closings: Closings, *, tools: Collection[str]) -> Iterator[tuple[int, int]]:
    for opening in _OPENING.finditer(text):
        closing = closings.after(opening["tag"].lower(), opening.end())
        like_a_call = bool(_GOES_ON_LIKE_A_CALL.match(text, opening.end()))
        if closing is None:
            if like_a_call:
                yield opening.start(), len(text)
            continue
        word = _FIRST_WORD.match(text, opening.end())
        named = bool(opening["more"].strip(" /")) or (word is not None and word["name"] in tools)
        if like_a_call or named or _fills_its_lines(text, opening.start(), closing[1]):
            yield opening.start(), closing[1]


def _fills_its_lines(text: str, start: int, end: int) -> bool:
    """Prose that speaks of the tags goes on before or behind them."""
    return text[max(0, start - 1) : start] in {"", "\n"} and text[end : end + 1] in {"", "\n"}


def _named(text: str, opening: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    closings = Closings(text)
    for tag in opening.finditer(text):
        if tag.group().endswith("/>"):
            yield tag.span()
            continue
        closing = closings.after(tag["tag"], tag.end())
        if closing is None and _GOES_ON_LIKE_A_CALL.match(text, tag.end()):
            yield tag.start(), len(text)
        else:
            yield tag.start(), closing[1] if closing else tag.end()


def _without(text: str, spans: Iterator[tuple[int, int]], *, spared: list[tuple[int, int]]) -> str:
    kept: list[str] = []
    position, block = 0, 0
    for start, end in spans:
        while block < len(spared) and spared[block][1] <= start:
            block += 1
        if start < position or (block < len(spared) and spared[block][0] <= start):
            continue
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])
