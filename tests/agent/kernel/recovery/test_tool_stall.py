"""A: nothing to read after tools ran; the model is asked once more, with its tools."""

from __future__ import annotations

import pytest

from apps.agent.kernel import Limits
from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The library opens at nine on weekdays."
BATCH = calls(call("lookup"))


@pytest.mark.parametrize("text", ["", None, "👍", "Sources: handbook", "Ok, done."])
def test_the_model_is_asked_again_with_its_tools(text: str | None) -> None:
    model = Model([BATCH, says(text), says(ANSWER), says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "planning", "answer"]
    assert "YOUR LAST REPLY" in model.requests[2].messages[-1]["content"]
    assert model.requests[2].tools is not None
    assert (result.text, result.success, result.recoveries) == (ANSWER, True, ("tool_stall_retry",))


def test_it_may_call_the_tool_it_forgot() -> None:
    model = Model([BATCH, says(""), BATCH, says(ANSWER)])
    result = play(model, tool())
    assert len(result.calls) == 2
    assert model.phases == ["planning", "planning", "planning", "answer"]
    assert result.text == ANSWER


def test_it_is_told_not_to_repeat_what_is_done() -> None:
    model = Model([BATCH, says(""), says(ANSWER)])
    play(model, tool())
    assert "never repeat a call that succeeded" in model.requests[2].messages[-1]["content"]


def test_the_nudge_is_gone_in_the_next_round() -> None:
    model = Model([BATCH, says(""), says(ANSWER), says(ANSWER)])
    result = play(model, tool())
    assert "YOUR LAST REPLY" not in str(model.requests[3].messages)
    assert "YOUR LAST REPLY" not in str(result.messages)


def test_it_happens_once() -> None:
    model = Model([BATCH, says(""), says(""), says(ANSWER)])
    result = play(model, tool(), limits=Limits(max_planning_rounds=6))
    assert model.phases == ["planning", "planning", "planning", "answer"]
    assert result.text == ANSWER
