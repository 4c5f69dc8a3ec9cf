"""Reading JSON that others send: bounded, and safe to store and to send on."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from apps.foundation.text import clean

MAX_DEPTH = 64
# Separators and openings of lists and objects. A small text can unfold into a great many objects in memory.
MAX_PARTS = 200_000


class BadJson(ValueError):
    """Not JSON, or JSON that no honest sender writes."""


def read_json(data: bytes | str, *, most_parts: int = MAX_PARTS) -> Any:
    """The value, with its texts cleaned; raises :class:`BadJson`."""
    if _parts(data) > most_parts:
        raise BadJson("this JSON has too many parts")
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise BadJson("this is not readable JSON") from None
    return clean_json(value)


def clean_json(value: Any, *, depth: int = MAX_DEPTH) -> Any:
    """The same value with every text and key cleaned; raises :class:`BadJson` beyond the depth allowed."""
    if depth < 0:
        raise BadJson("this JSON is nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [clean_json(item, depth=depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item, depth=depth - 1) for key, item in value.items()}
    return value


def write_json(value: Any) -> bytes:
    """Compact UTF-8; raises :class:`BadJson` for what JSON cannot express."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise BadJson("this value cannot be written as JSON") from None


def _parts(data: bytes | str) -> int:
    """At least as many as there are; what stands inside texts is counted as well."""
    if isinstance(data, str):
        return sum(data.count(mark) for mark in ",[{")
    return sum(data.count(mark) for mark in (b",", b"[", b"{"))


def _no_constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadJson("a number is too large")
    return number
