"""G: steps announced in place of calls; the model is asked once to take them."""

from __future__ import annotations

from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The library opens at nine on weekdays."
PLAN = "Having a look.\n- checking hours\n- asking around\n- making tea"


def test_the_model_is_asked_for_the_calls() -> None:
    model = Model([says(PLAN), calls(call("lookup")), says(ANSWER), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "planning", "answer"]
    assert "made no tool call" in model.requests[1].messages[-1]["content"]
    assert (result.text, len(result.calls)) == (ANSWER, 1)
    assert result.recoveries == ("unexecuted_plan_retry",)


def test_a_plan_again_leads_to_the_answer_round() -> None:
    model = Model([says(PLAN), says(PLAN), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer"]
    assert (result.text, result.success) == (ANSWER, True)


def test_a_list_that_was_the_answer_still_reaches_the_person() -> None:
    names = "Three ideas:\n- Harbour\n- Beacon\n- Tide"
    assert play([says(names)], tool()).text == names


def test_a_list_after_tools_is_no_reason_to_call_again() -> None:
    model = Model([calls(call("lookup")), says(PLAN), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer"]
    assert (result.rounds, result.recoveries) == (3, ())


def test_its_counter_is_its_own() -> None:
    model = Model([says(PLAN), says(""), says(PLAN), says(ANSWER)])
    result = play(model, tool())
    assert result.recoveries == ("unexecuted_plan_retry", "missing_tool_call_retry")
    assert (result.text, result.rounds) == (ANSWER, 4)


def test_without_tools_a_list_is_just_a_list() -> None:
    model = Model([says(PLAN)])
    assert play(model).rounds == 1
