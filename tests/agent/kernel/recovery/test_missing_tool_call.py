"""D and E: blank without any call. The model is asked once more, then the turn closes."""

from __future__ import annotations

import pytest

from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The library opens at nine on weekdays."
PRETENDED = '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>'
ACTED = f"Let me look that up for you.\n{PRETENDED}"
BLANKS = ["", None, " \n", "👍", ":tada:", PRETENDED, ACTED, '{"name": "lookup", "arguments": {"q": 1}}']


@pytest.mark.parametrize("text", BLANKS)
def test_the_model_is_asked_again_and_may_call(text: str | None) -> None:
    model = Model([says(text), calls(call("lookup")), says(ANSWER), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "planning", "answer"]
    assert "called nothing" in model.requests[1].messages[-1]["content"]
    assert (result.text, result.success, len(result.calls)) == (ANSWER, True, 1)
    assert result.recoveries == ("missing_tool_call_retry",)


def test_or_it_may_answer() -> None:
    model = Model([says(""), says(ANSWER)])
    result = play(model, tool())
    assert (result.text, result.success, result.rounds) == (ANSWER, True, 2)


@pytest.mark.parametrize("text", BLANKS)
def test_blank_again_closes_the_turn(text: str | None) -> None:
    model = Model([says(text)])
    result = play(model, tool())
    assert len(model.requests) == 2
    assert (result.success, result.failure) == (False, "no_answer")
    assert "try asking again" in result.text
    assert result.recoveries == ("missing_tool_call_retry", "fail_closed")


def test_nothing_is_composed_where_no_tool_was_asked() -> None:
    model = Model([says("Sources: handbook"), says("")])
    result = play(model, tool())
    assert result.recoveries == ("generic_empty_retry", "fail_closed")
    assert {request.purpose for request in model.requests} == {"agent.planning"}
