"""One batch with everything that can go wrong in it (LLM-04)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.kernel import Hooks, Limits, ToolCallContext
from tests.fakes.kernel import Gate, Model, call, calls, play, says, tool, tool_messages

ANSWER = "Part of this worked, part of it did not."


def raises(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
    raise RuntimeError("HTTP 500 from https://backend.invalid/?key=s3cret")


def notes(messages: Any) -> list[str]:
    return [str(m["content"]) for m in messages if m["role"] == "system" and "NOT completed" in m["content"]]


def test_everything_at_once() -> None:
    gate = Gate()

    def hangs(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        gate.wait()
        return {"success": True}

    tools = [tool("fine"), tool("broken", raises), tool("slow", hangs, timeout_seconds=0.05)]
    batch = calls(
        call("fine", call_id="call_1"),
        call("broken", call_id="call_2"),
        call("frobnicate", call_id="call_3"),
        call("slow", call_id="call_4"),
        call("fine", call_id="call_1"),
        call("fine", call_id=""),
    )
    model = Model([batch, says(ANSWER), says(ANSWER)])
    result = play(model, *tools)
    gate.open()
    answers = tool_messages(model.requests[1])
    assert [answer["success"] for answer in answers] == [True, False, False, False, True, True]
    assert answers[2] == {"success": False, "error": "Unknown tool: frobnicate"}
    assert "error_detail" not in str(model.requests[1].messages)
    assert "s3cret" not in str(model.requests[1].messages)
    assert [done.outcome for done in result.calls] == [
        "ran", "raised", "unknown_tool", "timed_out", "ran", "ran",
    ]  # fmt: skip
    assert "s3cret" in (result.calls[1].error_detail or "")
    assert "s3cret" not in repr(result)
    (note,) = notes(model.requests[1].messages)
    assert "broken, frobnicate, slow" in note
    assert (result.text, result.success) == (ANSWER, False)


def test_the_note_follows_the_answers_and_comes_only_after_failures() -> None:
    model = Model([calls(call("broken")), calls(call("fine")), says(ANSWER)])
    result = play(model, tool("fine"), tool("broken", raises))
    roles = [message["role"] for message in result.messages]
    assert roles == ["system", "user", "assistant", "tool", "system", "assistant", "tool"]
    assert len(notes(result.messages)) == 1


def test_a_failure_made_good_in_a_later_batch_does_not_spoil_the_run() -> None:
    assert play(
        [calls(call("broken")), calls(call("fine")), says(ANSWER)], tool("fine"), tool("broken", raises)
    ).success


@pytest.mark.parametrize("mutates", [True, False])
def test_a_timeout_of_a_changing_tool_leaves_the_outcome_unknown(mutates: bool) -> None:
    gate = Gate()

    def hangs(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        gate.wait()
        return {"success": True}

    model = Model([calls(call("slow")), says(ANSWER), says(ANSWER)])
    result = play(model, tool("slow", hangs, mutates=mutates, timeout_seconds=0.02))
    gate.open()
    (done,) = result.calls
    assert done.unknown_outcome is mutates
    assert ("Outcome unknown" in tool_messages(model.requests[1])[0]["error"]) is mutates
    assert ("unknown whether" in str(model.requests[1].messages)) is mutates


def test_a_hung_tool_does_not_keep_the_others_waiting() -> None:
    gate = Gate()

    def hangs(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        gate.wait()
        return {"success": True}

    batch = calls(call("slow"), call("slow"), call("fine"))
    tools = (tool("slow", hangs, timeout_seconds=0.02), tool("fine"))
    result = play([batch, says(ANSWER)], *tools, limits=Limits(tool_workers=1))
    gate.open()
    assert [done.outcome for done in result.calls] == ["timed_out", "timed_out", "ran"]


@pytest.mark.parametrize("returned", [None, [], "done", 1, {"data": 1}, {"success": "yes"}, {"success": 1}])
def test_only_an_explicit_true_is_a_success(returned: Any) -> None:
    result = play([calls(call("odd")), says(ANSWER)], tool("odd", lambda _a, _c: returned))
    assert not result.calls[0].success
    assert result.calls[0].result["success"] is False


def test_more_calls_than_a_batch_holds_are_answered_but_not_run() -> None:
    ran: list[str] = []

    def note(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        ran.append(context.call_id)
        return {"success": True}

    many = calls(*(call("note", call_id=f"c{number}") for number in range(5)))
    result = play([many, says(ANSWER), says(ANSWER)], tool("note", note), limits=Limits(max_batch_calls=3))
    assert len(ran) == 3
    assert [done.outcome for done in result.calls] == ["ran"] * 3 + ["too_many"] * 2


def test_a_thread_ended_by_exit_is_a_failed_call() -> None:
    def leaves(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        raise SystemExit(3)

    assert play([calls(call("leaves")), says(ANSWER)], tool("leaves", leaves)).calls[0].outcome == "raised"


def test_hostile_names_and_ids_can_be_sent_back() -> None:
    odd = calls(
        call("drop table; \ud800\n" * 20, call_id="\x00"),
        call("", call_id="a" * 500),
        call("né", call_id="b"),
    )
    model = Model([odd, says(ANSWER), says(ANSWER)])
    play(model, tool())
    echoed = next(m for m in model.requests[1].messages if m["role"] == "assistant")["tool_calls"]
    assert all(0 < len(each["function"]["name"]) <= 64 for each in echoed)
    assert all(each["function"]["name"].isascii() for each in echoed)


def test_ids_of_the_history_are_not_used_again() -> None:
    history = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "{}"},
        {"role": "user", "content": "And now?"},
    ]  # fmt: skip
    result = play([calls(call("lookup", call_id="call_1")), says(ANSWER)], tool(), messages=history)
    assert result.calls[0].id == "call_1_2"


def test_a_hook_that_raises_withholds_the_result() -> None:
    def broken(_call: object, _result: object) -> dict[str, Any]:
        raise ValueError

    model = Model([calls(call("lookup", '{"a":"raw text"}')), says(ANSWER), says(ANSWER)])
    result = play(model, tool(), hooks=Hooks(after_tool=broken))
    assert not result.calls[0].success
    assert "raw text" not in str(tool_messages(model.requests[1]))
