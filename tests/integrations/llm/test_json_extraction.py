"""JSON is found wherever a model puts it, and half of a broken value is never taken for the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.integrations.llm.json_extraction import json_values

VALUE = {"a": [1, {"b": "x}y"}], "c": None}
WRITTEN = json.dumps(VALUE)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"  \n{WRITTEN}\n",
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```\nThat should do.",
        f"Here you are:\n```JSON\n{WRITTEN}\n```",
        f"Sure! {WRITTEN} Anything else?",
        f"Use {{braces}} like this: {WRITTEN}",
        f"See [1] and [2]. {WRITTEN}",
        f"<think>maybe {{'a': 1}} or {{}}</think>\n{WRITTEN}",
        f'An example would be {{"a": 0}}. The answer: {WRITTEN}',
    ],
)
def test_found_first(text: str) -> None:
    assert next(json_values(text)) == VALUE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no value here",
        "{",
        '{"items": [{"a": 1}, {"a": 2',
        '{"items": [{"a": 1},]}',
        '[{"a": 1}, {"a": 2}, oops]',
        '{"a": NaN}',
        "[" * 100_000,
        '{"a":' * 5_000,
        "{" * 300 + '{"a": 1}',
        '{"a": ' + "[" * 80 + "]" * 80 + "}",
    ],
)
def test_nothing_whole_nothing_found(text: str) -> None:
    assert [*json_values(text)] == []


def test_of_a_cut_answer_only_the_whole_counts() -> None:
    assert [*json_values('I think {"a": 1} is', whole=True)] == []
    assert [*json_values(WRITTEN, whole=True)] == [VALUE]


def test_texts_can_be_stored() -> None:
    assert next(json_values(r'{"a": "x\u0000y\ud800z"}')) == {"a": "xy\ufffdz"}


@given(st.text(), st.text(alphabet="ab \n", max_size=20))
def test_any_text_around_a_value_is_survived(text: str, plain: str) -> None:
    assert isinstance([*json_values(text)], list)
    assert VALUE in [*json_values(f"{plain}{WRITTEN}{plain}")]


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9), lambda item: st.lists(item, max_size=3)))
def test_what_is_alone_is_what_is_meant(value: Any) -> None:
    assert next(json_values(json.dumps(value))) == value
