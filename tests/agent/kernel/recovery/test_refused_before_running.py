"""A call that was refused before it ran was made, but nothing ran: what each recovery makes of that."""

from __future__ import annotations

import pytest

from apps.agent.kernel import ChatReply, Hooks, Refuse
from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The library opens at nine on weekdays."
STRICT = tool("book", parameters={"type": "object", "required": ["room"]}, mutates=True)
NOT_RUN = [calls(call("nope")), calls(call("book"))]


@pytest.mark.parametrize("batch", NOT_RUN)
def test_a_short_reply_is_not_too_short_when_nothing_ran(batch: ChatReply) -> None:
    model = Model([batch, says("Which room?"), says("Which room?")])
    result = play(model, STRICT)
    assert model.phases == ["planning", "planning", "answer"]
    assert (result.text, result.recoveries) == ("Which room?", ())


@pytest.mark.parametrize("batch", NOT_RUN)
def test_a_blank_reply_after_it_is_a_stall(batch: ChatReply) -> None:
    result = play([batch, says(""), says(ANSWER)], STRICT)
    assert (result.text, result.recoveries) == (ANSWER, ("tool_stall_retry",))


@pytest.mark.parametrize(
    ("batch", "steps"), [(NOT_RUN[0], ""), (NOT_RUN[1], "\n- Using book: was not carried out")]
)
def test_without_an_answer_the_turn_closes_and_nothing_is_composed(batch: ChatReply, steps: str) -> None:
    model = Model([batch, says("")])
    result = play(model, STRICT)
    assert {request.purpose for request in model.requests} == {"agent.planning", "agent.answer"}
    assert result.recoveries == ("tool_stall_retry", "fail_closed")
    assert (result.success, result.failure) == (False, "no_answer")
    assert result.text.startswith("I did not manage to put together an answer") and result.text.endswith(
        steps
    )


def test_one_that_a_hook_forbade_did_not_run_either() -> None:
    hooks = Hooks(before_tool=lambda _call: Refuse("Not for you."))
    result = play([calls(call("lookup")), says("")], tool(), hooks=hooks)
    assert result.recoveries == ("tool_stall_retry", "fail_closed")
    assert result.text.endswith("- Using lookup: was not carried out")
