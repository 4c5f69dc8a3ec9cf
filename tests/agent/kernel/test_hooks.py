"""What hooks may decide, and that their own failures do not end a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from apps.agent.kernel import (
    AnswerWith,
    DoneOtherwise,
    ExecutedCall,
    Hooks,
    PlannedCall,
    Proceed,
    Refuse,
    ToolCallContext,
)
from apps.agent.kernel.hooks import Decision
from tests.fakes.kernel import Model, call, calls, down, play, says, tool, tool_messages

ANSWER = "That is all there is to say about it."


class Counted:
    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, _arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        self.runs += 1
        return {"success": True}


def decided(decision: Decision) -> tuple[Counted, dict[str, Any], ExecutedCall]:
    counted = Counted()
    model = Model([calls(call("act")), says(ANSWER), says(ANSWER)])
    result = play(model, tool("act", counted, mutates=True), hooks=Hooks(before_tool=lambda _call: decision))
    return counted, tool_messages(model.requests[1])[0], result.calls[0]


def test_proceed_runs_the_tool() -> None:
    counted, answer, done = decided(Proceed())
    assert (counted.runs, answer, done.outcome) == (1, {"success": True}, "ran")


def test_answer_with_takes_the_place_of_the_tool() -> None:
    counted, answer, done = decided(AnswerWith({"success": True, "data": "replayed"}))
    assert (counted.runs, answer["data"], done.outcome) == (0, "replayed", "answered")


def test_a_replayed_unknown_outcome_stays_unknown() -> None:
    _, _, done = decided(AnswerWith({"success": False, "error": "unclear", "outcome_unknown": True}))
    assert done.unknown_outcome


def test_an_action_done_otherwise_is_no_success_and_did_not_run() -> None:
    counted, answer, done = decided(DoneOtherwise({"success": True, "error": "done with other arguments"}))
    assert (counted.runs, answer["success"], done.outcome, done.begun) == (0, False, "done_otherwise", False)


@pytest.mark.parametrize("broken", [True, False])
def test_the_doubt_about_an_action_done_otherwise_is_kept(broken: bool) -> None:
    def cleaned(_call: PlannedCall, result: dict[str, Any]) -> dict[str, Any]:
        if broken:
            raise ValueError
        return {**result, "outcome_unknown": False}

    doubt = DoneOtherwise({"error": "begun with other arguments", "outcome_unknown": True})
    hooks = Hooks(before_tool=lambda _call: doubt, after_tool=cleaned)
    result = play([calls(call("book")), says(ANSWER)], tool("book", mutates=True), hooks=hooks)
    done = result.calls[0]
    assert (done.outcome, done.unknown_outcome, done.success) == ("done_otherwise", True, False)
    assert result.work[0].outcome == "unknown"
    assert "unknown whether" in str(result.messages[-1]["content"])
    assert "taken before" not in str(result.messages[-1]["content"])


def test_people_hear_of_it_when_the_model_is_gone() -> None:
    hooks = Hooks(before_tool=lambda _call: DoneOtherwise({"error": "done with other arguments"}))
    result = play([calls(call("book")), down(retryable=False)], tool("book", mutates=True), hooks=hooks)
    assert "- Using book: done earlier, with other details than asked for now" in result.text


@pytest.mark.parametrize(
    ("returned", "unknown"),
    [
        ({"success": False, "error": "taken"}, False),
        ({"success": True, "outcome_unknown": True}, True),
        (None, True),
    ],
)
def test_after_tool_cannot_make_a_success_of_it(returned: Any, unknown: bool) -> None:
    hooks = Hooks(after_tool=lambda _call, _result: {"success": True, "outcome_unknown": False})
    book = tool("book", lambda _a, _c: returned, mutates=True)
    done = play([calls(call("book")), says(ANSWER)], book, hooks=hooks).calls[0]
    assert (done.success, done.unknown_outcome) == (False, unknown)


def test_after_tool_cannot_make_a_refused_call_a_done_or_doubtful_one() -> None:
    hooks = Hooks(
        before_tool=lambda _call: Refuse("no"),
        after_tool=lambda _call, _result: {"success": True, "outcome_unknown": True},
    )
    done = play([calls(call("book")), says(ANSWER)], tool("book", mutates=True), hooks=hooks).calls[0]
    assert (done.success, done.unknown_outcome, done.begun) == (False, False, False)


def test_refuse_tells_the_model_why() -> None:
    counted, answer, done = decided(Refuse("Only the owner may do this."))
    assert (counted.runs, done.outcome) == (0, "refused")
    assert answer == {"success": False, "error": "Only the owner may do this."}


def test_a_gate_that_breaks_stays_shut() -> None:
    def broken(_call: PlannedCall) -> Decision:
        raise LookupError

    counted = Counted()
    result = play([calls(call("act")), says(ANSWER)], tool("act", counted), hooks=Hooks(before_tool=broken))
    assert (counted.runs, result.calls[0].outcome) == (0, "refused")


def test_after_tool_changes_what_the_model_reads() -> None:
    def fenced(planned: PlannedCall, result: dict[str, Any]) -> dict[str, Any]:
        return {**result, "data": f"[{planned.name}] {result['data']}"}

    model = Model([calls(call("lookup")), says(ANSWER), says(ANSWER)])
    play(model, tool("lookup", lambda _a, _c: {"success": True, "data": "x"}), hooks=Hooks(after_tool=fenced))
    assert tool_messages(model.requests[1])[0]["data"] == "[lookup] x"


def test_after_batch_sees_every_call_in_order() -> None:
    batches: list[list[str]] = []

    def note(done: Sequence[ExecutedCall]) -> None:
        batches.append([each.name for each in done])

    play([calls(call("b"), call("nope"), call("a")), calls(call("a")), says(ANSWER)], tool("a"), tool("b"),
         hooks=Hooks(after_batch=note))  # fmt: skip
    assert batches == [["b", "nope", "a"], ["a"]]


def test_hooks_that_raise_change_nothing() -> None:
    def broken(*_args: object) -> Any:
        raise RuntimeError

    hooks = Hooks(after_batch=broken, choose_model=broken, should_stop=broken)
    assert play([calls(call("lookup")), says(ANSWER), says(ANSWER)], tool(), hooks=hooks).success
