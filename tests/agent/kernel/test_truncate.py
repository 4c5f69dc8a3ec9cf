"""Long results are cut inside their structure: valid JSON, never over the budget, small parts untouched."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.agent.kernel.constants import (
    TOOL_RESULT_SERIALIZED_CAP,
    TOOL_RESULT_TRUNCATE_BUDGET,
    TRUNCATION_MARKER,
)
from apps.agent.kernel.plain import compact, plain
from apps.agent.kernel.truncate import deep_truncate, serialize

TEXT = (
    st.text() | st.text(alphabet='"\\\n\x01é😀', max_size=400) | st.integers(1, 3_000).map(lambda n: '"' * n)
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(TEXT, inner, max_size=20),
    max_leaves=80,
)


@given(VALUES, st.integers(120, 2_000))
@settings(max_examples=300, deadline=None)
def test_never_over_the_budget_and_always_json(value: Any, budget: int) -> None:
    data = plain(value)
    cut = deep_truncate(data, budget=budget)
    text = compact(cut)
    assert len(text) <= budget
    assert json.loads(text) == cut
    if len(compact(data)) <= budget:
        assert cut == data


@given(VALUES, st.integers(2_000, 60_000))
@settings(max_examples=50, deadline=None)
def test_many_copies_fit_as_well(value: Any, budget: int) -> None:
    data = plain({"rows": [value] * 500, "by": {str(n): value for n in range(500)}, "success": True})
    cut = deep_truncate(data, budget=budget)
    assert len(compact(cut)) <= budget
    assert cut["success"] is True


@pytest.mark.parametrize("length", [TOOL_RESULT_SERIALIZED_CAP - 2, TOOL_RESULT_SERIALIZED_CAP - 1])
def test_the_cap_counts_code_points_as_sent(length: int) -> None:
    text = serialize("😀" * length)
    if length + 2 <= TOOL_RESULT_SERIALIZED_CAP:
        assert text == compact("😀" * length)
    else:
        assert len(text) == TOOL_RESULT_TRUNCATE_BUDGET


def test_a_long_text_ends_in_the_marker() -> None:
    cut = json.loads(serialize({"success": True, "data": {"title": "short", "body": "x" * 70_000}}))
    assert cut["success"] is True
    assert cut["data"]["title"] == "short"
    assert cut["data"]["body"].endswith("x" + TRUNCATION_MARKER)
    assert len(cut["data"]["body"]) > 54_000


def test_an_array_tail_says_how_many_are_gone() -> None:
    cut = json.loads(
        serialize({"success": True, "data": [{"id": n, "text": "y" * 500} for n in range(1_000)]})
    )
    *shown, last = cut["data"]
    match = re.search(r"(\d+) more items", last)
    assert match is not None
    assert len(shown) + int(match.group(1)) == 1_000
    assert [row["id"] for row in shown] == list(range(len(shown)))
    assert all(row["text"] == "y" * 500 for row in shown)


def test_long_texts_are_shortened_before_rows_are_dropped() -> None:
    cut = json.loads(
        serialize({"success": True, "data": [{"id": n, "text": "z" * 6_000} for n in range(25)]})
    )
    assert [row["id"] for row in cut["data"]] == list(range(25))
    assert all(row["text"].endswith(TRUNCATION_MARKER) for row in cut["data"])


def test_surplus_fields_say_how_many_are_gone() -> None:
    cut = json.loads(serialize({"success": True, **{f"field {n}": "w" * 100 for n in range(2_000)}}))
    assert cut["success"] is True
    assert re.fullmatch(r"\d+ more fields were cut for size", cut["…"])


def test_escapes_count_at_their_full_length() -> None:
    assert len(serialize({"data": "\x01" * 30_000})) <= TOOL_RESULT_TRUNCATE_BUDGET


@pytest.mark.parametrize(
    "value",
    [
        {"k" * 100_000: 1, "ok": 2},
        {"…": "x" * 70_000, "ok": 2},
        [[[["deep" * 30_000]]]],
        list(range(200_000)),
        {str(n): n for n in range(50_000)},
    ],
)
def test_awkward_shapes_fit(value: Any) -> None:
    text = serialize(value)
    assert len(text) <= TOOL_RESULT_TRUNCATE_BUDGET
    json.loads(text)
