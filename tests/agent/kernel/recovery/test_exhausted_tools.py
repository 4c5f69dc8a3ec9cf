"""B: the same tool found nothing three times in a row; the reply is composed from what is known."""

from __future__ import annotations

import pytest

from apps.agent.kernel import ChatReply
from tests.fakes.kernel import Model, Step, call, calls, down, play, says, tool

ANSWER = "I searched the directory three ways and nobody by that name turned up."
FALLBACK = "There is nobody by that name in what I could search."
EMPTY = tool("people", lambda _arguments, _context: {"success": True, "data": {"members": []}})


def search(times: int) -> ChatReply:
    return calls(*[call("people") for _ in range(times)])


def test_a_burst_ends_the_search_with_a_composed_reply() -> None:
    model = Model([search(3), says(ANSWER)])
    result = play(model, EMPTY)
    assert (result.text, result.success, result.rounds) == (ANSWER, True, 2)
    assert result.recoveries == ("exhausted_tools_composition",)
    composed = model.requests[1]
    assert (composed.purpose, composed.role, composed.temperature) == (
        "agent.tool-exhaustion-recovery",
        "planner",
        0.7,
    )
    assert composed.tools is None


def test_the_burst_counts_over_rounds() -> None:
    model = Model([search(1), search(2), says(ANSWER)])
    assert play(model, EMPTY).recoveries == ("exhausted_tools_composition",)


def test_two_are_no_burst() -> None:
    model = Model([search(2), says(ANSWER), says(ANSWER)])
    assert play(model, EMPTY).recoveries == ()


def test_it_sees_the_whole_transcript_under_strict_rules() -> None:
    model = Model([search(3), says(ANSWER)])
    play(model, EMPTY)
    *transcript, rules = model.requests[1].messages
    assert [m["role"] for m in transcript] == ["system", "user", "assistant", "tool", "tool", "tool"]
    assert rules["role"] == "system"
    for rule in ("Only what a result reports as a success has happened", "Promise nothing", "No number"):
        assert rule in rules["content"]


@pytest.mark.parametrize("step", [says(""), says("👍"), calls(call("people")), down(retryable=False)])
def test_a_composer_without_an_answer_leads_to_the_answer_round(step: Step) -> None:
    model = Model([search(3), step, says(FALLBACK)])
    result = play(model, EMPTY)
    assert (result.text, result.success) == (FALLBACK, True)
    assert [request.purpose for request in model.requests][-1] == "agent.answer"


def test_it_is_tried_once_in_a_run() -> None:
    model = Model([search(3), says("")])
    result = play(model, EMPTY)
    assert result.recoveries.count("exhausted_tools_composition") == 1


def test_a_composed_reply_that_was_cut_says_so() -> None:
    result = play([search(3), says(ANSWER, finish_reason="length")], EMPTY)
    assert "cut off" in result.text


def test_a_composed_reply_with_an_acted_out_call_has_failed() -> None:
    acted = f'{ANSWER}\n<tool_call>{{"name": "people", "arguments": {{}}}}</tool_call>'
    result = play([search(3), says(acted), says("Nobody by that name is listed here.")], EMPTY)
    assert (result.text, result.success) == ("Nobody by that name is listed here.", True)


def test_actions_that_count_to_zero_are_no_search_without_a_result() -> None:
    cancels = tool("cancel", lambda _a, _c: {"success": True, "count": 0}, mutates=True)
    model = Model([calls(*[call("cancel")] * 3), says(ANSWER)])
    result = play(model, cancels)
    assert (model.phases, result.recoveries) == (["planning", "planning", "answer"], ())
