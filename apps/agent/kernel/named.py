"""The name of an offered tool next to arguments in brackets, in whatever spelling a call takes (contract §4.4).

Every look is at a bounded stretch around a name, so the work grows with the length of the text alone. A name that
is an ordinary word (`search`) needs more about it than one that nobody writes by chance (`find_page`): it also
occurs in sentences, in data and in other people's code.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from apps.agent.kernel.call_shapes import (
    BRACED,
    BRACED_JSON,
    CALL_TAG,
    CALLED,
    CALLERS_PREFIX,
    CLOSED,
    ENDS_OPEN,
    ENDS_WITHIN,
    FILLS_ITS_LINE,
    FIRST_KEY,
    FOREIGN_PREFIX,
    KEY_OF_TOOLS,
    LEADS_LINE,
    LINE_ENDS,
    NAME_TAG,
    OBJECT_UNDER_KEY,
    OPENS,
    SAID_TO_BE,
    SPEAKS_OF_ARGUMENTS,
    SURELY_BRACED,
    TAG_WITH_JSON,
    TAG_WITH_MORE,
    TAKES_ACTION,
    VALUE_ENDS,
)

_BEFORE = 160
# As names of tools are spelled; letters of a script without spaces may stand right before one.
_WORD = re.compile(r"\w[\w-]*", re.ASCII)


@dataclass(frozen=True)
class _Mention:
    """One occurrence of a name. `line` is None if its line begins too far away to be led by the name."""

    text: str
    name: str
    end: int
    before: str
    line: str | None

    @property
    def is_ordinary(self) -> bool:
        return "_" not in self.name and "-" not in self.name

    def goes_on(self, pattern: re.Pattern[str]) -> bool:
        return pattern.match(self.text, self.end) is not None


def names_a_call(text: str, *, names: Collection[str]) -> bool:
    speaks = SPEAKS_OF_ARGUMENTS.search(text) is not None
    return any(
        _is_called(each)
        or _is_braced(each)
        or _is_said(each, speaks_of_arguments=speaks)
        or _is_sure_tag(each)
        for each in _mentions(text, names=names)
    )


def tags_a_call(text: str, *, names: Collection[str]) -> bool:
    """`<search …>` as an element. In code, which this must not be given, it may be markup."""
    closed = frozenset(CLOSED.findall(text))
    return any(
        NAME_TAG.search(each.before) is not None and (each.name in closed or each.goes_on(TAG_WITH_MORE))
        for each in _mentions(text, names=names)
    )


def _mentions(text: str, *, names: Collection[str]) -> Iterator[_Mention]:
    for word in _WORD.finditer(text) if names else ():
        name = word.group()
        if name not in names:
            # In Markdown's emphasis.
            name = name.strip("_")
        if name in names:
            start = word.start() + word.group().index(name)
            before = text[max(0, start - _BEFORE) : start]
            _head, newline, line = before.rpartition("\n")
            begins = newline or len(before) == start
            yield _Mention(text, name, start + len(name), before, line if begins else None)


def _is_called(mention: _Mention) -> bool:
    if mention.is_ordinary and FOREIGN_PREFIX.search(mention.before) and not _is_prefixed(mention):
        return False
    if mention.goes_on(CALLED) or mention.goes_on(ENDS_OPEN):
        return True
    if _is_reached_through_a_dot(mention) and mention.goes_on(OPENS):
        return True
    leads = _leads_its_line(mention)
    if mention.goes_on(ENDS_WITHIN) and (leads or not mention.is_ordinary):
        return True
    return leads and mention.goes_on(FILLS_ITS_LINE)


def _is_braced(mention: _Mention) -> bool:
    if mention.goes_on(BRACED) and (not mention.is_ordinary or _is_prefixed(mention)):
        return True
    if mention.goes_on(SURELY_BRACED) or (_leads_its_line(mention) and mention.goes_on(BRACED_JSON)):
        return True
    return mention.goes_on(OBJECT_UNDER_KEY) and FIRST_KEY.search(mention.before) is not None


def _is_said(mention: _Mention, *, speaks_of_arguments: bool) -> bool:
    if not mention.is_ordinary and mention.goes_on(LINE_ENDS) and _fills(mention, TAKES_ACTION):
        return True
    said = speaks_of_arguments and SAID_TO_BE.search(mention.before)
    return bool(said) or (KEY_OF_TOOLS.search(mention.before) is not None and mention.goes_on(VALUE_ENDS))


def _is_sure_tag(mention: _Mention) -> bool:
    if CALL_TAG.search(mention.before):
        return True
    return NAME_TAG.search(mention.before) is not None and (
        not mention.is_ordinary or mention.goes_on(TAG_WITH_JSON)
    )


def _is_prefixed(mention: _Mention) -> bool:
    return CALLERS_PREFIX.search(mention.before) is not None


def _leads_its_line(mention: _Mention) -> bool:
    return _fills(mention, LEADS_LINE)


def _fills(mention: _Mention, pattern: re.Pattern[str]) -> bool:
    return mention.line is not None and pattern.fullmatch(mention.line) is not None


def _is_reached_through_a_dot(mention: _Mention) -> bool:
    """functions.name( by anybody's name, api.name( by one that nobody else's code has by chance."""
    return _is_prefixed(mention) or (
        not mention.is_ordinary and FOREIGN_PREFIX.search(mention.before) is not None
    )
