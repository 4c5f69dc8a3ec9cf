"""Did a tool call find nothing, and does the same tool keep finding nothing (contract §4.2, §4.3)."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from apps.agent.kernel.constants import EMPTY_BURST_LENGTH

_EMPTY_FLAGS = ("isEmpty", "empty")
_COUNTS = ("totalCount", "totalFound", "count")
_COLLECTIONS = (
    "members", "companies", "providers", "funds", "connections", "officeHours",
    "bookings", "events", "results", "items", "matches", "entries",
)  # fmt: skip


class Finished(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def success(self) -> bool: ...
    @property
    def mutates(self) -> bool: ...
    @property
    def result(self) -> dict[str, Any]: ...


def tool_call_signals_empty(result: object) -> bool:
    """The result may say so itself or in the `data` it carries."""
    levels = [level for level in _levels(result) if isinstance(level, Mapping)]
    return any(_says_empty(level) for level in levels) or _only_empty_collections(levels)


def repeated_empty_tool(calls: Sequence[Finished]) -> str | None:
    """The tool whose latest calls, in emitted order, were a burst of successes without a result.

    An action finds nothing to begin with: that it counts to zero says nothing about the next one.
    """
    latest = calls[-EMPTY_BURST_LENGTH:]
    if len(latest) < EMPTY_BURST_LENGTH or any(call.name != latest[0].name for call in latest):
        return None
    empty = all(call.success and not call.mutates and tool_call_signals_empty(call.result) for call in latest)
    return latest[0].name if empty else None


def _levels(result: object) -> tuple[object, ...]:
    return (result, result.get("data")) if isinstance(result, Mapping) else (result,)


def _says_empty(level: Mapping[str, Any]) -> bool:
    flagged = any(level.get(key) is True for key in _EMPTY_FLAGS)
    return flagged or any(_is_zero(level.get(key)) for key in _COUNTS)


def _is_zero(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0


def _only_empty_collections(levels: list[Mapping[str, Any]]) -> bool:
    present = [level[key] for level in levels for key in _COLLECTIONS if key in level]
    return bool(present) and all(isinstance(value, list) and not value for value in present)
