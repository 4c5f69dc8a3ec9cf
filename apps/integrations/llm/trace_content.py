"""What of a value goes into a trace: readable, bounded, without what is nobody's business (contract §3.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from apps.foundation.text import clean

TEXT_LIMIT: Final = 20_000
ITEM_LIMIT: Final = 200
DEPTH_LIMIT: Final = 12
# Signatures that belong to one turn, details meant for admins, and pictures.
_LEFT_OUT: Final = frozenset({"reasoning_details", "error_detail", "images"})
_CUT: Final = "…"
_UNREADABLE: Final = "<unreadable>"

# How contents of a kind of span are put before they are traced. Whoever knows what they hold says so here.
VIEWS: dict[str, Callable[[Any], Any]] = {}


def traced_as(kind: str, value: Any) -> Any:
    """The value as a tracer is told it in a span of this kind."""
    view = VIEWS.get(kind)
    try:
        return traced_content(value if view is None else view(value))
    except Exception:  # noqa: BLE001 - nothing a tracer does reaches a turn
        return _UNREADABLE


def traced_content(value: Any, *, depth: int = DEPTH_LIMIT) -> Any:
    """Plain JSON data, whatever came in."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _text(value)
    return _container(value, depth=depth - 1) if depth > 0 else _CUT


def _container(value: Any, *, depth: int) -> Any:
    if isinstance(value, Mapping):
        kept = [(str(name), item) for name, item in value.items() if name not in _LEFT_OUT]
        return {clean(name): traced_content(item, depth=depth) for name, item in kept[:ITEM_LIMIT]}
    if isinstance(value, list | tuple):
        shown = [traced_content(item, depth=depth) for item in value[:ITEM_LIMIT]]
        return [*shown, _CUT] if len(value) > ITEM_LIMIT else shown
    return f"<{type(value).__name__}>"


def _text(text: str) -> str:
    if text.startswith("data:"):
        return f"<{len(text)} characters of data>"
    return clean(text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + _CUT)
