"""When a result counts as nothing found, and when a tool is stuck finding nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from apps.agent.kernel.emptiness import repeated_empty_tool, tool_call_signals_empty

KEYS = [
    "members", "companies", "providers", "funds", "connections", "officeHours",
    "bookings", "events", "results", "items", "matches", "entries",
]  # fmt: skip


@pytest.mark.parametrize(
    "result",
    [
        {"isEmpty": True},
        {"empty": True},
        {"totalCount": 0},
        {"totalFound": 0},
        {"count": 0},
        {"count": 0, "results": [1]},
        *({key: []} for key in KEYS),
        {"results": [], "matches": [], "note": "nothing"},
        {"success": True, "data": {"results": []}},
        {"success": True, "data": {"count": 0}},
    ],
)
def test_empty(result: dict[str, Any]) -> None:
    assert tool_call_signals_empty(result)


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"success": True},
        {"count": False},
        {"count": "0"},
        {"count": None},
        {"isEmpty": "true"},
        {"isEmpty": 1},
        {"rows": []},
        {"results": None},
        {"results": {}},
        {"results": [], "matches": [1]},
        {"results": [], "data": {"matches": [1]}},
        {"success": True, "data": []},
        {"data": "text"},
        None,
        [],
        "empty",
    ],
)
def test_not_empty(result: Any) -> None:
    assert not tool_call_signals_empty(result)


@dataclass
class Done:
    name: str
    success: bool
    result: dict[str, Any]
    mutates: bool = False


def done(word: str) -> Done:
    """a, b: an empty success of that tool; A: a full one; x: a failed empty one."""
    result: dict[str, Any] = {"results": [1] if word.isupper() else []}
    return Done("a" if word in "Ax" else word, word != "x", result)


@pytest.mark.parametrize(
    ("history", "stuck"),
    [
        ("aaa", "a"),
        ("aaaa", "a"),
        ("baaa", "a"),
        ("aaab", None),
        ("aa", None),
        ("aabaa", None),
        ("aaA", None),
        ("aaAaa", None),
        ("aaxaa", None),
        ("aaxaaa", "a"),
        ("bbabbb", "b"),
        ("", None),
    ],
)
def test_a_burst_is_three_in_a_row_up_to_now(history: str, stuck: str | None) -> None:
    assert repeated_empty_tool([done(word) for word in history]) == stuck
