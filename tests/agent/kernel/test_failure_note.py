"""The note after a batch says which calls failed, so that two of one tool can be told apart."""

from __future__ import annotations

from typing import Any

from apps.agent.kernel import DoneOtherwise, Hooks
from tests.fakes.kernel import Model, call, calls, play, says, tool, tool_messages

ANSWER = "One of the two rooms could not be booked."


def books(arguments: dict[str, Any], _context: object) -> Any:
    if arguments["room"] == "lost":
        raise ConnectionResetError
    return {"success": arguments["room"] == "free", "error": "taken"}


def note(*rooms: str) -> str:
    model = Model(
        [calls(*[call("book", f'{{"room": "{room}"}}') for room in rooms], call("lookup")), says(ANSWER)]
    )
    play(model, tool("book", books, mutates=True), tool())
    assert len(tool_messages(model.requests[1])) == len(rooms) + 1
    return str(model.requests[1].messages[-2]["content"])


def test_of_two_calls_the_failed_one_is_named() -> None:
    assert "NOT completed: book (call 2 of 2)." in note("free", "taken")
    assert "NOT completed: book (call 1 of 2)." in note("taken", "free")


def test_failed_and_unknown_ones_are_told_apart() -> None:
    text = note("taken", "free", "lost")
    assert "NOT completed: book (call 1 of 3)." in text
    assert "do not repeat them: book (call 3 of 3)." in text


def test_a_single_call_needs_no_number() -> None:
    assert "NOT completed: book." in note("taken")


def test_what_was_done_before_with_other_arguments_is_not_said_to_be_undone() -> None:
    hooks = Hooks(before_tool=lambda _call: DoneOtherwise({"error": "done with other arguments"}))
    model = Model([calls(call("book")), says(ANSWER)])
    play(model, tool("book", mutates=True), hooks=hooks)
    text = str(model.requests[1].messages[-2]["content"])
    assert "NOT completed" not in text
    assert "taken before with other arguments" in text
