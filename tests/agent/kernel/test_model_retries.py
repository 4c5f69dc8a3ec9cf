"""Three attempts with pauses of nothing and five seconds; some failures end it at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from apps.agent.kernel import Limits
from tests.fakes.kernel import Model, Step, call, calls, down, play, says, tool

ANSWER = "Everything is in order, thank you."


def test_two_failures_are_survived_with_the_fixed_pauses() -> None:
    slept: list[float] = []
    result = play([down(), down(), says(ANSWER)], limits=Limits(sleep=slept.append))
    assert (result.text, result.success) == (ANSWER, True)
    assert (result.llm_calls, result.rounds) == (3, 1)
    assert sum(slept) == 5.0


def test_the_first_retry_comes_at_once() -> None:
    slept: list[float] = []
    assert play([down(), says(ANSWER)], limits=Limits(sleep=slept.append)).success
    assert slept == []


def test_after_three_failures_the_person_is_asked_to_try_again() -> None:
    model = Model([down()])
    result = play(model, limits=Limits(sleep=lambda _seconds: None))
    assert len(model.requests) == 3
    assert (result.success, result.failure) == (False, "llm_failed")
    assert "try again" in result.text
    assert result.error is not None
    assert result.error.code == "http_503"


def test_what_cannot_get_better_is_not_repeated() -> None:
    model = Model([down(retryable=False)])
    result = play(model)
    assert len(model.requests) == 1
    assert result.failure == "llm_failed"
    assert result.error is not None
    assert result.error.code == "http_402"


def test_calls_that_ran_are_reported_even_when_the_model_is_gone() -> None:
    result = play([calls(call("lookup")), down(retryable=False)], tool())
    assert [done.name for done in result.calls] == ["lookup"]
    assert result.failure == "llm_failed"


def test_a_port_that_breaks_ends_the_run_in_order() -> None:
    result = play([calls(call("lookup")), KeyError("secret")], tool())
    assert result.failure == "llm_failed"
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("unexpected", "KeyError")
    assert len(result.calls) == 1


MALFORMED: list[dict[str, object]] = [
    {"finish_reason": ["stop"]},
    {"finish_reason": None},
    {"text": 5},
    {"tool_calls": [1]},
]


@pytest.mark.parametrize("wrong", MALFORMED)
def test_a_reply_of_another_shape_is_a_failed_call_and_tried_again(wrong: dict[str, Any]) -> None:
    malformed = replace(says(ANSWER), **wrong)
    assert play([malformed, says(ANSWER)]).text == ANSWER
    result = play([malformed], limits=Limits(sleep=lambda _seconds: None))
    assert (result.failure, result.llm_calls) == ("llm_failed", 3)


@pytest.mark.parametrize("planned", [1, 2, 4])
def test_attempts_have_a_ceiling(planned: int) -> None:
    flaky: list[Step] = [down(), down(), calls(call("lookup"))]
    ending: list[Step] = [down(), down(), says(ANSWER)]
    limits = Limits(max_planning_rounds=planned, sleep=lambda _seconds: None)
    result = play([*flaky * planned, *ending], tool(), limits=limits)
    assert result.text == ANSWER
    assert result.rounds == planned + 1
    assert result.llm_calls == (planned + 1) * 3
