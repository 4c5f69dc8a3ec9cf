"""H: no answer at the very end. What the tools did is told instead, and nothing else."""

from __future__ import annotations

import pytest

from apps.agent.kernel import RunResult
from tests.fakes.kernel import Model, Step, call, calls, down, play, says, tool

BUSY = [calls(call("lookup"), call("book")), calls(call("people"), call("nope<b>"))]
TOOLS = (
    tool("lookup"),
    tool("book", lambda _a, _c: {"success": False, "error": "HTTP 502 from 10.0.0.1"}, mutates=True),
    tool("people", lambda _a, _c: {"success": True, "data": {"count": 0}}),
)
CEILING = 2 + 1 + 3 + 2


def ends_with(*steps: Step) -> tuple[RunResult, Model]:
    model = Model([*BUSY, *steps])
    return play(model, *TOOLS), model


@pytest.mark.parametrize("text", ["", "👍", "Sources: x", '<tool_call>{"name":"lookup"}</tool_call>'])
def test_both_composers_are_tried_and_then_the_tools_speak(text: str) -> None:
    result, model = ends_with(says(text))
    assert [request.purpose for request in model.requests[2:]] == [
        "agent.answer",
        "agent.answer",
        "agent.tool-exhaustion-recovery",
        "agent.best-effort-response-recovery",
    ]
    assert result.recoveries[-1] == "tool_derived_fallback"
    assert (result.success, result.failure) == (False, "no_answer")
    assert result.rounds <= CEILING


def test_the_message_names_each_step_and_how_it_ended() -> None:
    result, _ = ends_with(says(""))
    assert result.text.splitlines()[-3:] == [
        "- Using book: did not work",
        "- Using lookup: done",
        "- Using people: nothing found",
    ]
    assert "502" not in result.text
    assert "nope" not in result.text


def test_the_same_step_is_named_once() -> None:
    result = play([calls(*[call("lookup")] * 3), says("")], tool())
    assert result.text.splitlines()[-1] == "- Using lookup: done (3 times)"


def test_a_long_list_of_steps_is_cut() -> None:
    many = [tool(f"t{n}") for n in range(14)]
    result = play([calls(*[call(each.name) for each in many]), says("")], *many)
    assert result.text.splitlines()[-1] == "- and 4 more"


@pytest.mark.parametrize("text", ["Booked for you.", "Yes, at five.", "<x>", 'lookup(q="x")'])
def test_not_a_word_of_the_model_is_sent_beside_the_facts(text: str) -> None:
    result = play([calls(call("lookup")), says(text)], tool())
    assert text not in result.text
    assert result.text.endswith("- Using lookup: done")
    assert (result.success, result.failure) == (False, "no_answer")


def test_actions_are_never_folded() -> None:
    reads = [tool(f"read{n}") for n in range(9)]
    acts = [tool(f"act{n}", mutates=True) for n in range(12)]
    rounds = [calls(*[call(each.name) for each in [*reads, *acts]]), says("")]
    lines = play(rounds, *reads, *acts).text.splitlines()
    assert lines[-13:-1] == [f"- Using act{n}: done" for n in range(12)]
    assert lines[-1] == "- and 9 more"


def test_an_action_turned_away_is_not_folded_either() -> None:
    reads = [tool(f"read{n}") for n in range(11)]
    needs = {"type": "object", "required": ["room"], "properties": {"room": {"type": "string"}}}
    book = tool("book", mutates=True, parameters=needs)
    result = play([calls(*[call(each.name) for each in [*reads, book]]), says("")], *reads, book)
    assert "- Using book: was not carried out" in result.text


def test_a_model_that_is_gone_by_then_is_reported() -> None:
    result, model = ends_with(says(""), says(""), down(retryable=False))
    assert len(model.requests) == 6
    assert (result.failure, result.error and result.error.code) == ("no_answer", "http_402")
    assert "- Using lookup: done" in result.text


def test_without_tools_a_plain_sentence_is_left() -> None:
    model = Model([says("")])
    result = play(model)
    assert len(model.requests) == 3
    assert (result.success, result.failure) == (False, "no_answer")
    assert "try asking again" in result.text
    assert result.recoveries[-1] == "fail_closed"
