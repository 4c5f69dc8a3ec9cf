"""Rounds with tools, one without, and never more than that."""

from __future__ import annotations

import pytest

from apps.agent.kernel import ChatReply, Hooks, Limits
from tests.fakes.kernel import Model, call, calls, play, says, tool, tool_messages

ANSWER = "The library opens at nine on weekdays."


def test_a_greeting_costs_one_call() -> None:
    model = Model([says("Hello! How can I help you today?")])
    result = play(model, tool())
    assert (result.text, result.success, result.rounds) == ("Hello! How can I help you today?", True, 1)
    assert model.phases == ["planning"]


def test_a_promise_without_calls_is_the_answer_that_was_given() -> None:
    """Neither empty nor a plan: nobody can tell it from an answer by its shape."""
    promise = "I will look that up for you right away."
    model = Model([says(promise)])
    result = play(model, tool())
    assert (result.text, result.success, len(model.requests)) == (promise, True, 1)


def test_without_tools_there_is_only_the_answer_round() -> None:
    model = Model([says(ANSWER)])
    assert play(model).text == ANSWER
    assert model.phases == ["answer"]


def test_tools_run_and_the_answer_round_has_none() -> None:
    model = Model(
        [calls(call("lookup", '{"q":1}', call_id="a")), says("This is a draft of an answer."), says(ANSWER)]
    )
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer"]
    assert [request.tools is None for request in model.requests] == [False, False, True]
    assert tool_messages(model.requests[1]) == [{"success": True, "data": {"q": 1}}]
    assert (result.text, result.success, result.failure) == (ANSWER, True, None)


@pytest.mark.parametrize(("asked", "planned"), [(2, 2), (6, 6), (1, 1), (0, 1), (-3, 1)])
def test_a_model_that_never_stops_calling_is_stopped(asked: int, planned: int) -> None:
    def insists(request: object) -> ChatReply:
        return calls(call("lookup"), text=ANSWER)

    model = Model([insists])
    result = play(model, tool(), limits=Limits(max_planning_rounds=asked))
    # The answer round, its nudge and both composers: none of them lets a call through, or the words beside it.
    assert model.phases == ["planning"] * planned + ["answer"] * 4
    assert len(result.calls) == planned
    assert (result.rounds, result.llm_calls) == (planned + 4, planned + 4)
    assert (ANSWER in result.text, result.failure) == (False, "no_answer")


def test_the_instruction_of_a_round_does_not_stay() -> None:
    model = Model([calls(call("lookup")), calls(call("lookup")), says(ANSWER)])
    result = play(model, tool())
    for request in model.requests:
        notes = [m["content"] for m in request.messages if "ROUND" in str(m["content"])]
        assert notes == [request.messages[-1]["content"]]
        assert request.messages[-1]["role"] == "system"
    assert not any("ROUND" in str(message["content"]) for message in result.messages)


def test_the_planning_instruction_names_its_last_round() -> None:
    model = Model([calls(call("lookup")), calls(call("lookup")), says(ANSWER)])
    play(model, tool())
    first, second = (request.messages[-1]["content"] for request in model.requests[:2])
    assert "last round" not in first
    assert "last round" in second


def test_should_stop_leads_straight_to_the_answer() -> None:
    model = Model([calls(call("lookup")), says(ANSWER)])
    result = play(model, tool(), hooks=Hooks(should_stop=lambda: True), limits=Limits(max_planning_rounds=6))
    assert model.phases == ["planning", "answer"]
    assert result.success


def test_the_hook_chooses_the_model_of_each_round() -> None:
    model = Model([calls(call("lookup")), says(ANSWER)])
    play(model, tool(), hooks=Hooks(choose_model=lambda phase, number: f"{phase}-{number}"))
    assert [request.model for request in model.requests] == ["planning-1", "planning-2", "answer-3"]


def test_the_hook_chooses_the_model_of_the_composers_too() -> None:
    model = Model([calls(call("lookup")), says("")])
    play(model, tool(), hooks=Hooks(choose_model=lambda phase, number: f"{phase}-{number}"))
    assert [request.model for request in model.requests][-2:] == ["answer-5", "answer-6"]
    assert {request.role for request in model.requests[-2:]} == {"planner"}


def test_each_phase_is_booked_under_its_purpose() -> None:
    model = Model([calls(call("lookup")), says(ANSWER)])
    play(model, tool())
    assert [request.purpose for request in model.requests] == ["agent.planning"] * 2 + ["agent.answer"]


def test_the_messages_of_the_caller_stay_as_they_were() -> None:
    messages = [{"role": "user", "content": "hi"}]
    play(
        [calls(call("lookup")), says(ANSWER)], tool(), messages=messages, limits=Limits(max_planning_rounds=1)
    )
    assert messages == [{"role": "user", "content": "hi"}]


def test_of_two_tools_with_one_name_the_first_counts() -> None:
    first = tool("a", lambda _arguments, _context: {"success": True, "data": "first"})
    model = Model([calls(call("a")), says(ANSWER), says(ANSWER)])
    play(model, first, tool("a"), tool("b"))
    assert [offer["function"]["name"] for offer in model.requests[0].tools or []] == ["a", "b"]
    assert tool_messages(model.requests[1])[0]["data"] == "first"
