"""Finding the JSON in what a model wrote: alone, in a code fence, or somewhere in prose (contract §3.1)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from apps.foundation.wire_json import BadJson, clean_json

LONGEST: Final = 1_000_000
MOST_STARTS: Final = 200
_FENCE: Final = re.compile(r"```[\w+-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_START: Final = re.compile(r"[{\[]")
_OPEN, _CLOSE = "{[", "}]"


def json_values(text: str, *, whole: bool = False) -> Iterator[Any]:
    """The values the text may mean, the likeliest first; ``whole`` leaves out those picked from prose.

    A part of a broken value is never taken for the value: that would be half an answer posing as one.
    """
    text = text.strip()[:LONGEST]
    fenced = [match[1] for match in _FENCE.finditer(text)]
    for candidate in [text, *reversed(fenced)]:
        yield from _alone(candidate)
    if not whole:
        # What is said last is the answer; what comes before it is thinking and examples.
        yield from reversed([*_scattered(text)])


def _alone(text: str) -> Iterator[Any]:
    try:
        value, end = _decoder.raw_decode(text.strip())
        if end == len(text.strip()):
            yield clean_json(value)
    except (ValueError, RecursionError):
        return


def _scattered(text: str) -> Iterator[Any]:
    position, unclosed = 0, 0
    for _ in range(MOST_STARTS):
        start = _START.search(text, position)
        if start is None:
            return
        unclosed = max(0, unclosed + _balance(text[position : start.start()]))
        try:
            value, position = _decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position, unclosed = start.end(), unclosed + 1
            continue
        if not unclosed:
            yield from _cleaned(value)


def _balance(text: str) -> int:
    return sum(text.count(mark) for mark in _OPEN) - sum(text.count(mark) for mark in _CLOSE)


def _cleaned(value: Any) -> Iterator[Any]:
    try:
        yield clean_json(value)
    except BadJson:
        return


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


_decoder: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
