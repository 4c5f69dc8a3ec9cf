"""I: a failed call in the last batch, and the run was no success whatever was written about it."""

from __future__ import annotations

from apps.agent.kernel import Limits
from tests.fakes.kernel import call, calls, play, says, tool

ANSWER = "I booked the room for you, all is well."
FAILS = tool("book", lambda _arguments, _context: {"success": False, "error": "taken"})


def test_text_does_not_make_it_a_success() -> None:
    result = play([calls(call("book"), call("lookup")), says(ANSWER), says(ANSWER)], FAILS, tool())
    assert (result.text, result.success, result.failure) == (ANSWER, False, None)


def test_a_later_batch_that_worked_resolves_it() -> None:
    steps = [calls(call("book")), calls(call("lookup")), says(ANSWER)]
    assert play(steps, FAILS, tool()).success


def test_only_the_last_batch_counts() -> None:
    """As the specification has it: what a later batch did not touch is told in the text, by the note."""
    steps = [calls(call("book")), calls(call("lookup")), says(ANSWER)]
    result = play(steps, FAILS, tool())
    assert (result.success, [each.success for each in result.calls]) == (True, [False, True])
    assert "NOT completed" in str([m["content"] for m in result.messages if m["role"] == "system"])


def test_a_composed_reply_is_no_success_either() -> None:
    empty = tool("people", lambda _a, _c: {"success": True, "data": {"members": []}})
    batch = calls(call("book"), *[call("people")] * 3)
    result = play([batch, says(ANSWER)], FAILS, empty, limits=Limits(max_planning_rounds=1))
    assert (result.recoveries, result.success) == (("exhausted_tools_composition",), False)
