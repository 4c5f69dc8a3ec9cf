"""Any Python value as plain JSON data: what a tool returns is data, but nobody promises JSON."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time
from typing import Any

MAX_DEPTH = 100
# A value that contains the same list twice at each of thirty levels is small in memory and endless as JSON.
MAX_NODES = 500_000
LARGEST_INTEGER_BITS = 256

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
# Format characters, and letters that are drawn as nothing. Not the variation selectors: they make an emoji of a sign.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_LEFT_OUT = "…"
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def clean(text: str) -> str:
    """Without NUL and lone surrogates, which neither a database nor UTF-8 can carry."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSENDABLE.sub("\ufffd", text)


def visible(text: str) -> str:
    """Without what nobody can see: direction marks, joiners, fillers, blanks that count as letters."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub("", clean(text))


def said(value: object) -> str:
    """Text of anything. Total: whatever an object does instead of saying what it is, the turn must go on."""
    try:
        return clean(str(value))
    except BaseException:  # noqa: BLE001 - even one that asks the process to end
        return f"<{type(value).__name__}>"


def compact(value: Any) -> str:
    """JSON as it is sent: no spaces, no escapes that code points do not need."""
    return _ENCODER.encode(value)


def plain(value: Any, *, without: AbstractSet[str] = frozenset()) -> Any:
    """A copy of dict, list, str, int, float, bool and None; keys in `without` go at every depth."""
    return _Plain(without=without).of(value, depth=0)


class _Plain:
    """Every result passes here, so the common kinds come first and texts are not worth a call of their own."""

    def __init__(self, *, without: AbstractSet[str]) -> None:
        self._without = without
        self._nodes = 0
        self._ancestors: set[int] = set()

    def of(self, value: Any, *, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return clean(str.__str__(value))
        if isinstance(value, int):
            return int(value) if value.bit_length() <= LARGEST_INTEGER_BITS else hex(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(float(value))
        if isinstance(value, (dict, list, tuple, Mapping, AbstractSet)):
            return self._container(value, depth=depth)
        return _described(value)

    def _container(self, value: Mapping[Any, Any] | Collection[Any], *, depth: int) -> Any:
        if depth >= MAX_DEPTH or self._nodes > MAX_NODES or id(value) in self._ancestors:
            return _LEFT_OUT
        self._nodes += 1 + len(value)
        self._ancestors.add(id(value))
        try:
            if isinstance(value, (dict, Mapping)):
                return self._object(value, depth=depth + 1)
            return self._list(value, depth=depth + 1)
        finally:
            self._ancestors.discard(id(value))

    def _list(self, items: Iterable[Any], *, depth: int) -> list[Any]:
        return [clean(item) if type(item) is str else self.of(item, depth=depth) for item in items]

    def _object(self, value: Mapping[Any, Any], *, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, item in value.items():
            name = clean(key) if type(key) is str else _key(key)
            if name not in self._without:
                fields[name] = clean(item) if type(item) is str else self.of(item, depth=depth)
        return fields


def _key(key: Any) -> str:
    return clean(str.__str__(key)) if isinstance(key, str) else _described(key)


def _described(value: Any) -> str:
    """Dates, identifiers, decimals read well as text; bytes do not, and an object may refuse."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    if isinstance(value, (date, time)):
        return value.isoformat()
    return said(value)
