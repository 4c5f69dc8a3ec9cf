"""Where tools are closed, a call or the announcement of one is no answer; a list of findings is."""

from __future__ import annotations

import pytest

from apps.agent.kernel import ChatReply
from tests.fakes.kernel import Model, Step, call, calls, down, play, says, tool

ANSWER = "The office is open until six today."
PROMISE = "One moment, I am booking room three for you now."
PLAN = "- Look at rooms\n- Look at slots\n- Book one"
ACTED = f"{PROMISE}\n" + '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>'
BUSY: list[Step] = [calls(call("lookup")), calls(call("lookup"))]
NATIVE = calls(call("lookup"), text=PROMISE)


@pytest.mark.parametrize("reply", [NATIVE, says(PLAN), says(ACTED)])
def test_it_is_asked_for_an_answer_once_more(reply: ChatReply) -> None:
    model = Model([*BUSY, reply, says(ANSWER)])
    result = play(model, tool())
    assert model.phases == ["planning", "planning", "answer", "answer"]
    assert (result.text, result.recoveries) == (ANSWER, ("generic_empty_retry",))


def test_words_beside_a_call_are_never_sent() -> None:
    result = play([*BUSY, NATIVE], tool())
    assert PROMISE not in result.text
    assert (result.success, result.failure) == (False, "no_answer")
    assert len(result.calls) == 2


def test_neither_are_they_where_no_tool_exists() -> None:
    result = play([NATIVE])
    assert (PROMISE in result.text, result.failure) == (False, "no_answer")


def test_a_list_that_is_insisted_on_was_the_answer() -> None:
    result = play([*BUSY, says(PLAN)], tool())
    assert (result.text, result.success, result.rounds) == (PLAN, True, 4)


def test_a_plan_with_an_acted_out_call_is_not_even_then() -> None:
    result = play([*BUSY, says(f"{PLAN}\n{ACTED}")], tool())
    assert result.failure == "no_answer"
    assert "Look at rooms" not in result.text


def test_a_list_of_what_the_tools_found_is_sent_at_once() -> None:
    rooms = tool("lookup", lambda _a, _c: {"success": True, "data": ["Harbour", "Beacon", "Tide"]})
    text = "Free today:\n- **Harbour**: all day\n- Beacon: from ten\n- Tide"
    result = play([*BUSY, says(text)], rooms)
    assert (result.text, result.recoveries) == (text, ())


def test_once_the_counter_is_spent_a_plan_leads_to_the_composers() -> None:
    model = Model([BUSY[0], says(""), BUSY[1], says(PLAN), says(ANSWER)])
    result = play(model, tool())
    assert result.recoveries == ("tool_stall_retry", "exhausted_tools_composition")
    assert result.text == ANSWER


@pytest.mark.parametrize("reply", [NATIVE, says(PLAN), says(ACTED)])
def test_a_composer_that_announces_has_failed(reply: ChatReply) -> None:
    empty = tool("lookup", lambda _a, _c: {"success": True, "count": 0})
    model = Model([calls(*[call("lookup")] * 3), reply, says(ANSWER)])
    result = play(model, empty)
    assert [request.purpose for request in model.requests[1:]] == [
        "agent.tool-exhaustion-recovery",
        "agent.answer",
    ]
    assert result.text == ANSWER


def test_a_model_that_is_gone_after_the_plan_sends_no_plan() -> None:
    result = play([*BUSY, says(PLAN), down(retryable=False)], tool())
    assert (PLAN in result.text, result.failure) == (False, "llm_failed")


def test_a_part_of_a_word_is_no_quotation() -> None:
    page = tool("lookup", lambda _a, _c: {"success": True, "data": "A Facebook page about research"})
    model = Model([*BUSY, says("One moment:\n- Book\n- Search\n- Page us"), says(ANSWER)])
    result = play(model, page)
    assert (result.text, result.recoveries) == (ANSWER, ("generic_empty_retry",))


def test_the_names_of_fields_make_no_list_a_quotation() -> None:
    """`events` is in every result about events, also in one that found none."""
    empty = tool("lookup", lambda _a, _c: {"success": True, "events": []})
    plan = says("One moment:\n- Events: look them up\n- Rooms: find one\n- Members: ask them")
    model = Model([*BUSY, plan, says(ANSWER)])
    result = play(model, empty)
    assert (result.text, result.recoveries) == (ANSWER, ("generic_empty_retry",))
