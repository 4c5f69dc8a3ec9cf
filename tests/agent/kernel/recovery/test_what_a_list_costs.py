"""A list that is no plan by the detector is an answer like any other; one that looks like a plan costs three calls."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import Model, play, says, tool

LONG = "- I find pages of the handbook, and say where in it something stands"
NO_PLANS = [
    f"I can do this:\n{LONG}\n- book rooms\n- list events",
    "I can:\n- book rooms\n- list events",
    "I can:\n- book rooms\n- list events\n- find pages\n\nTell me which of these you would like to try, "
    "and I will ask for what I need to know.",
    "I can:\n" + "- book rooms for a day\n" * 40,
    "I can book rooms, list events and find pages.",
]
PLAN_SHAPED = "I can:\n- book rooms\n- list events\n- find pages"


@pytest.mark.parametrize("text", NO_PLANS)
def test_no_plan_costs_one_call(text: str) -> None:
    model = Model([says(text)])
    result = play(model, tool())
    assert (result.text, result.success, len(model.requests)) == (text.strip(), True, 1)


def test_one_that_looks_like_a_plan_is_asked_about_once_and_then_taken_at_its_word() -> None:
    model = Model([says(PLAN_SHAPED)])
    result = play(model, tool())
    assert (result.text, result.success, result.failure) == (PLAN_SHAPED, True, None)
    assert model.phases == ["planning", "planning", "answer"]
    assert result.recoveries == ("unexecuted_plan_retry",)
