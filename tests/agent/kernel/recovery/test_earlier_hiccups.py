"""Whether a list is sent does not hang on a hiccup that spent its nudge before."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import Model, Step, call, calls, play, says, tool

ANSWER = "The office is open until six today."
LIST = "Open today:\n- library\n- lab\n- kitchen"
BUSY: list[Step] = [calls(call("lookup")), calls(call("lookup"))]
SMOOTH: list[Step] = BUSY
STALLED: list[Step] = [BUSY[0], says(""), BUSY[1]]
REFUSED: list[Step] = [calls(call("nope")), says(""), calls(call("nope"))]


@pytest.mark.parametrize("before", [SMOOTH, STALLED])
def test_insisted_on_it_is_sent(before: list[Step]) -> None:
    result = play([*before, says(LIST)], tool())
    assert (result.text, result.success, result.failure) == (LIST, True, None)


@pytest.mark.parametrize("before", [SMOOTH, STALLED])
def test_a_model_that_thinks_better_of_it_is_heard(before: list[Step]) -> None:
    result = play([*before, says(LIST), says(ANSWER)], tool())
    assert (result.text, result.success) == (ANSWER, True)


def test_with_its_nudge_spent_the_composers_ask_instead() -> None:
    model = Model([*STALLED, says(LIST)])
    result = play(model, tool())
    assert result.recoveries == ("tool_stall_retry", "exhausted_tools_composition")
    assert len(model.requests) == 5


def test_a_nudge_for_something_else_does_not_count_as_told() -> None:
    model = Model([*BUSY, says(""), says(LIST), says(ANSWER)])
    result = play(model, tool())
    assert (result.text, result.recoveries) == (
        ANSWER,
        ("generic_empty_retry", "exhausted_tools_composition"),
    )


def test_where_nothing_may_be_composed_it_is_sent_without_being_asked_about() -> None:
    """The one place where the counters leave no choice; the failed calls spoil the success all the same."""
    result = play([*REFUSED, says(LIST)], tool())
    assert (result.text, result.success, result.failure) == (LIST, False, None)


def test_what_was_told_before_the_calls_is_not_held_for_told() -> None:
    """The plan is carried out; what is listed after that may be a new announcement."""
    model = Model([says(LIST), BUSY[0], BUSY[1], says(LIST), says(ANSWER)])
    result = play(model, tool())
    assert (result.text, result.recoveries) == (ANSWER, ("unexecuted_plan_retry", "generic_empty_retry"))
