"""C: the last attempt of a model, from the end of the history and a digest of the results."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "The handbook says that guests may stay until ten."
BUSY = [calls(call("lookup", '{"q":"guests"}')), calls(call("lookup"))]
NOTHING = [says(""), says(""), says("")]  # the answer round, its nudge, the first composer


def history(length: int) -> list[dict[str, Any]]:
    said = [{"role": "user" if n % 2 else "assistant", "content": f"old {n}"} for n in range(length)]
    return [{"role": "system", "content": "Rules."}, *said, {"role": "user", "content": "And guests?"}]


def test_it_comes_after_the_nudge_and_the_first_composer() -> None:
    model = Model([*BUSY, *NOTHING, says(ANSWER)])
    result = play(model, tool())
    assert (result.text, result.success, result.failure, result.rounds) == (ANSWER, True, None, 6)
    assert result.recoveries == (
        "generic_empty_retry",
        "exhausted_tools_composition",
        "best_effort_composition",
    )
    last = model.requests[-1]
    assert (last.purpose, last.role, last.temperature, last.tools) == (
        "agent.best-effort-response-recovery",
        "planner",
        0.3,
        None,
    )


def test_it_sees_the_rules_six_messages_of_history_and_the_question() -> None:
    model = Model([*BUSY, *NOTHING, says(ANSWER)])
    play(model, tool(), messages=history(9))
    seen = [message["content"] for message in model.requests[-1].messages]
    assert seen[:8] == ["Rules.", *[f"old {n}" for n in range(3, 9)], "And guests?"]


def test_results_are_data_in_a_message_of_their_own_and_bounded() -> None:
    model = Model([*BUSY, *NOTHING, says(ANSWER)])
    play(
        model,
        tool("lookup", lambda _a, _c: {"success": True, "data": "x" * 50_000, "error_detail": "s3cret"}),
    )
    digest, rules = model.requests[-1].messages[-2:]
    assert (digest["role"], rules["role"]) == ("user", "system")
    first = json.loads(digest["content"].splitlines()[1])
    assert (first["tool"], first["result"]["success"]) == ("lookup", True)
    assert len(digest["content"]) < 13_000
    assert "s3cret" not in digest["content"]


def test_calls_of_earlier_turns_are_left_out() -> None:
    opening = [
        {"role": "user", "content": "before"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "old", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "old", "content": "{}"},
        {"role": "user", "content": "now"},
    ]  # fmt: skip
    model = Model([*BUSY, *NOTHING, says(ANSWER)])
    assert play(model, tool(), messages=opening).text == ANSWER
    assert [m["content"] for m in model.requests[-1].messages[:2]] == ["before", "now"]


def test_without_tools_it_comes_right_after_the_nudge() -> None:
    model = Model([says(""), says(""), says(ANSWER)])
    result = play(model)
    assert result.text == ANSWER
    assert result.recoveries == ("generic_empty_retry", "best_effort_composition")


def test_whether_a_call_worked_survives_any_cut() -> None:
    long = {f"field_{number}": "x" * 200 for number in range(9)}
    taken = {**long, "success": False, "error": "the room is taken"}
    model = Model([calls(*[call("book_a_meeting_room")] * 60), says("")])
    play(model, tool("book_a_meeting_room", lambda _a, _c: dict(taken), mutates=True))
    lines = model.requests[-1].messages[-2]["content"].splitlines()[1:]
    assert len(lines) == 60
    assert all(json.loads(line)["success"] is False for line in lines)
