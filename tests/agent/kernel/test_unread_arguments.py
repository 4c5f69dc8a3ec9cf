"""What a call comes to whose arguments were written and could not be read."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.kernel import ChatReply, ToolCallContext
from tests.fakes.kernel import Model, call, calls, play, says, tool, tool_messages

ANSWER = "This is the whole list, as far as it goes."
OPEN = {"type": "object", "properties": {"day": {"type": "string"}}}
BROKEN = ['{"day": "mon', "day=mon", '["mon"]', "5", '"mon"']


def told(*batch: Any, finish_reason: str = "tool_calls", mutates: bool = False) -> list[dict[str, Any]]:
    reply = ChatReply(text=None, tool_calls=batch, finish_reason=finish_reason)
    model = Model([reply, says(ANSWER), says(ANSWER)])
    play(model, tool("events", parameters=OPEN, mutates=mutates))
    return tool_messages(model.requests[1])


@pytest.mark.parametrize("raw", BROKEN)
def test_a_lookup_runs_and_its_result_says_first_that_it_ran_without(raw: str) -> None:
    (answer,) = told(call("events", raw))
    assert next(iter(answer)) == "arguments_unread"
    assert "ran with none" in answer["arguments_unread"]
    assert (answer["success"], answer["data"]) == (True, {})


def test_a_tool_cannot_say_otherwise() -> None:
    def claims(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        return {"success": True, "arguments_unread": "All were read.", "data": 1}

    model = Model([calls(call("events", "{"), call("events", "{}")), says(ANSWER), says(ANSWER)])
    play(model, tool("events", claims, parameters=OPEN))
    unread, read = tool_messages(model.requests[1])
    assert "ran with none" in unread["arguments_unread"] and "arguments_unread" not in read


def test_it_is_still_to_be_read_where_a_result_had_to_be_cut() -> None:
    def returns(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        return {"success": True, **{f"field_{number}": "x" * 200 for number in range(2_000)}}

    model = Model([calls(call("events", "{")), says(ANSWER), says(ANSWER)])
    play(model, tool("events", returns, parameters=OPEN))
    assert "ran with none of the arguments" in tool_messages(model.requests[1])[0]["arguments_unread"]


@pytest.mark.parametrize("raw", ["", "null", "{}", '{"day": "mon"}'])
def test_nothing_is_said_of_arguments_that_were_read(raw: str) -> None:
    (answer,) = told(call("events", raw))
    assert "arguments_unread" not in answer


@pytest.mark.parametrize("raw", BROKEN)
@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_in_a_reply_that_was_broken_off_it_does_not_run(raw: str, finish_reason: str) -> None:
    broken, whole = told(call("events", raw), call("events", '{"day": "tue"}'), finish_reason=finish_reason)
    assert (broken["success"], whole["success"]) == (False, True)
    assert "broken off" in broken["error"] and "Send it again" in broken["error"]


def test_nor_does_a_last_call_whose_arguments_were_never_reached() -> None:
    first, last = told(call("events", ""), call("events", ""), finish_reason="length")
    assert (first["success"], last["success"]) == (True, False)


@pytest.mark.parametrize("finish_reason", ["tool_calls", "length"])
@pytest.mark.parametrize("raw", BROKEN)
def test_an_action_never_runs(raw: str, finish_reason: str) -> None:
    (answer,) = told(call("events", raw), finish_reason=finish_reason, mutates=True)
    assert answer["success"] is False and "Send it again" in answer["error"]


def test_what_they_lack_is_named_beside_that_they_could_not_be_read() -> None:
    needs = {"type": "object", "properties": {"q": {}}, "required": ["q"]}
    model = Model([calls(call("find", '{"q": "x')), says(ANSWER), says(ANSWER)])
    play(model, tool("find", parameters=needs))
    error = tool_messages(model.requests[1])[0]["error"]
    assert "could not be read" in error and "q is required" in error


def test_the_warning_survives_a_cut_and_reaches_the_last_composer() -> None:
    def much(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        return {"data": ["x" * 100] * 9_000, "success": True}

    model = Model([calls(call("events", "day=mon")), says("")])
    play(model, tool("events", much))
    (answer,) = tool_messages(model.requests[1])
    assert next(iter(answer)) == "arguments_unread"
    assert "arguments_unread" in model.requests[-1].messages[-2]["content"]
