"""A tool result that is too long is cut inside its structure, so that it stays JSON (contract §4.2, §4.3).

Every part is first promised a small floor; what is left of the budget goes to the parts that want more,
the small ones first. Lists lose their tail and objects their surplus fields only when the floors alone
do not fit. `_fit(value, room)` keeps to its room as long as that is at least `_HARD_FLOOR`, or the whole
value's length if that is less; every step below hands on no less than that.
"""

from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any

from apps.agent.kernel.constants import (
    TOOL_RESULT_SERIALIZED_CAP,
    TOOL_RESULT_TRUNCATE_BUDGET,
    TRUNCATION_MARKER,
)
from apps.agent.kernel.plain import compact, plain

_HARD_FLOOR = 120
_SOFT_FLOOR = 1_000
_CUT_KEY = "…"


def serialize(
    value: Any, *, cap: int = TOOL_RESULT_SERIALIZED_CAP, budget: int = TOOL_RESULT_TRUNCATE_BUDGET
) -> str:
    """JSON text of a value; beyond the cap it is cut to the budget. Lengths are code points as sent."""
    return serialize_plain(plain(value), cap=cap, budget=budget)


def serialize_plain(data: Any, *, cap: int, budget: int) -> str:
    """The same for a value that is plain data already."""
    text = compact(data)
    return text if len(text) <= cap else compact(deep_truncate(data, budget=budget))


def deep_truncate(value: Any, *, budget: int) -> Any:
    """`value` must be plain data; the JSON of what comes back is at most max(budget, 120) long."""
    return _Cutter(value).fit(value, room=max(budget, _HARD_FLOOR))


class _Cutter:
    """Holds the length of every part as JSON, measured once from the leaves up."""

    def __init__(self, value: Any) -> None:
        self._lengths: dict[int, int] = {}
        self._measure(value)

    def fit(self, value: Any, *, room: int) -> Any:
        if self._length(value) <= room:
            return value
        if isinstance(value, str):
            return _cut_text(value, room=room)
        if isinstance(value, list):
            return self._cut_list(value, room=room)
        return self._cut_object(value, room=room)

    def _cut_list(self, items: list[Any], *, room: int) -> list[Any]:
        most = max(_HARD_FLOOR, min(_SOFT_FLOOR, room // 8))
        left = room - 2 - len(compact(_items_cut(len(items))))
        floors: list[int] = []
        for item in items:
            floor = min(self._length(item), most)
            if floor + 1 > left:
                break
            left -= floor + 1
            floors.append(floor)
        shown = self._share(items[: len(floors)], floors=floors, spare=left)
        cut = len(items) - len(floors)
        return [*shown, _items_cut(cut)] if cut else shown

    def _cut_object(self, fields: dict[str, Any], *, room: int) -> dict[str, Any]:
        left = room - 2 - len(_quoted(_CUT_KEY)) - 1 - len(compact(_fields_cut(len(fields))))
        kept: dict[str, Any] = {}
        for key, item in fields.items():
            cost = len(_quoted(key)) + 2 + min(self._length(item), _HARD_FLOOR)
            if cost <= left and key != _CUT_KEY:
                left -= cost
                kept[key] = item
        floors = [min(self._length(item), _HARD_FLOOR) for item in kept.values()]
        shown = dict(zip(kept, self._share(list(kept.values()), floors=floors, spare=left), strict=True))
        cut = len(fields) - len(kept)
        return shown if not cut else {**shown, _CUT_KEY: _fields_cut(cut)}

    def _share(self, items: list[Any], *, floors: list[int], spare: int) -> list[Any]:
        """Each item gets its floor and a fair part of the spare room; small wishes are met first."""
        wishes = [self._length(item) - floor for item, floor in zip(items, floors, strict=True)]
        extra = _level(wishes, spare=spare)
        rooms = [floor + more for floor, more in zip(floors, extra, strict=True)]
        return [self.fit(item, room=room) for item, room in zip(items, rooms, strict=True)]

    def _length(self, value: Any) -> int:
        if isinstance(value, (str, list, dict)):
            return self._lengths[id(value)]
        return len(compact(value))

    def _measure(self, value: Any) -> int:
        if isinstance(value, str):
            length = len(_quoted(value))
        elif isinstance(value, list):
            length = 2 + sum(self._measure(item) for item in value) + max(0, len(value) - 1)
        elif isinstance(value, dict):
            parts = sum(len(_quoted(key)) + 1 + self._measure(item) for key, item in value.items())
            length = 2 + parts + max(0, len(value) - 1)
        else:
            return len(compact(value))
        self._lengths[id(value)] = length
        return length


def _level(wishes: Sequence[int], *, spare: int) -> list[int]:
    """Water-filling: nobody gets more than asked, and those cut short all get the same."""
    granted = [0] * len(wishes)
    waiting = sorted(range(len(wishes)), key=lambda index: wishes[index])
    for position, index in enumerate(waiting):
        granted[index] = min(wishes[index], spare // (len(waiting) - position))
        spare -= granted[index]
    return granted


def _cut_text(text: str, *, room: int) -> str:
    """The longest beginning that fits with the marker, found by halving, since escapes vary in length."""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if len(_quoted(text[:middle] + TRUNCATION_MARKER)) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + TRUNCATION_MARKER


def _quoted(text: str) -> str:
    return encode_basestring(text)


def _items_cut(count: int) -> str:
    return f"…[{count} more items were cut for size]"


def _fields_cut(count: int) -> str:
    return f"{count} more fields were cut for size"
