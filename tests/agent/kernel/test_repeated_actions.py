"""The same action with the same arguments is taken once in a turn, unless it failed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from apps.agent.kernel import DoneOtherwise, ExecutedCall, Hooks, Limits, Refuse, RunResult
from tests.fakes.kernel import Model, call, calls, down, play, says, tool, tool_messages

ANSWER = "Here is what came of all that you asked for."
ROOM = {"type": "object", "properties": {"room": {"type": "string"}, "day": {"type": "string"}}}
LOFT, ATTIC = '{"room":"Loft","day":"mon"}', '{"room":"Attic","day":"mon"}'
MANY = Limits(max_planning_rounds=6)


class Book:
    """Answers as it is told, and counts how often it is really asked."""

    def __init__(self, *results: dict[str, Any]) -> None:
        self._results = results or ({"success": True, "data": "B-17"},)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, arguments: dict[str, Any], _context: object) -> dict[str, Any]:
        self.asked.append(arguments)
        return dict(self._results[min(len(self.asked), len(self._results)) - 1])


def booked(book: Book, *rounds: tuple[str, ...], mutates: bool = True, **more: Any) -> RunResult:
    """One batch for each of the rounds."""
    steps = [calls(*(call("book", raw) for raw in batch)) for batch in rounds]
    made = tool("book", book, parameters=ROOM, mutates=mutates)
    return play([*steps, says(ANSWER)], made, limits=MANY, **more)


def outcomes(result: RunResult) -> list[tuple[str, bool]]:
    return [(each.outcome, each.success) for each in result.calls]


def test_what_succeeded_is_not_done_again_and_its_result_is_given() -> None:
    book = Book()
    result = booked(book, (LOFT,), (LOFT,))
    assert len(book.asked) == 1
    assert outcomes(result) == [("ran", True), ("repeated", True)]
    repeated = result.calls[1].result
    assert "Already done in this turn" in repeated["note"]
    assert repeated["earlier_result"] == {"success": True, "data": "B-17"}
    assert result.success


def test_the_order_of_the_fields_makes_no_other_action() -> None:
    book = Book()
    booked(book, (LOFT,), ('{"day": "mon", "room": "Loft"}',))
    assert len(book.asked) == 1


def test_neither_does_a_number_written_otherwise() -> None:
    book = Book()
    numbered = {"type": "object", "properties": {"seats": {}}}
    steps = [calls(call("book", '{"seats": [3, 2.5]}')), calls(call("book", '{"seats": [3.0, 2.50]}'))]
    result = play([*steps, says(ANSWER)], tool("book", book, parameters=numbered, mutates=True))
    assert (len(book.asked), outcomes(result)) == (1, [("ran", True), ("repeated", True)])


@pytest.mark.parametrize("other", ['{"seats": true}', '{"seats": "1"}', '{"seats": 1.5}'])
def test_what_only_looks_like_the_same_number_does(other: str) -> None:
    book = Book()
    numbered = {"type": "object", "properties": {"seats": {}}}
    steps = [calls(call("book", '{"seats": 1}')), calls(call("book", other))]
    play([*steps, says(ANSWER)], tool("book", book, parameters=numbered, mutates=True))
    assert len(book.asked) == 2


def test_other_arguments_do() -> None:
    book = Book()
    booked(book, (LOFT, ATTIC), (ATTIC, LOFT))
    assert len(book.asked) == 2


def test_what_is_in_doubt_is_not_done_again() -> None:
    book = Book({"success": False, "error": "?", "outcome_unknown": True})
    result = booked(book, (LOFT,), (LOFT,))
    assert len(book.asked) == 1
    repeated: ExecutedCall = result.calls[1]
    assert (repeated.unknown_outcome, repeated.success, result.success) == (True, False, False)
    assert "unknown" in repeated.result["error"]
    assert "unknown whether" in str(result.messages[-1]["content"])


def test_what_failed_may_be_tried_again() -> None:
    book = Book({"success": False, "error": "taken"}, {"success": True})
    result = booked(book, (LOFT,), (LOFT,), (LOFT,))
    assert len(book.asked) == 2
    assert outcomes(result) == [("ran", False), ("ran", True), ("repeated", True)]


def test_so_may_what_was_refused() -> None:
    asked: list[str] = []

    def gate(planned: Any) -> Any:
        asked.append(planned.id)
        return Refuse("not yet")

    booked(Book(), (LOFT,), (LOFT,), hooks=Hooks(before_tool=gate))
    assert len(asked) == 2


def test_within_a_batch_the_first_runs_and_the_others_report() -> None:
    book = Book()
    result = booked(book, (LOFT, LOFT, ATTIC, LOFT))
    assert len(book.asked) == 2
    assert [outcome for outcome, _ in outcomes(result)] == ["ran", "repeated", "ran", "repeated"]


def test_a_failure_within_a_batch_is_reported_for_all_and_may_be_tried_after_it() -> None:
    book = Book({"success": False, "error": "taken"})
    result = booked(book, (LOFT, LOFT), (LOFT,))
    assert outcomes(result) == [("ran", False), ("repeated", False), ("ran", False)]
    assert result.calls[1].result["earlier_result"]["error"] == "taken"


def test_lookups_are_free_to_repeat() -> None:
    book = Book()
    booked(book, (LOFT, LOFT), (LOFT,), mutates=False)
    assert len(book.asked) == 3


def test_what_was_done_with_other_arguments_is_not_asked_for_twice() -> None:
    asked: list[str] = []

    def gate(planned: Any) -> Any:
        asked.append(planned.id)
        return DoneOtherwise({"error": "done with other arguments"})

    result = booked(Book(), (LOFT,), (LOFT,), hooks=Hooks(before_tool=gate))
    assert len(asked) == 1
    assert outcomes(result) == [("done_otherwise", False)] * 2


@pytest.mark.parametrize(
    ("known", "read"),
    [({}, "done earlier, with other details"), ({"outcome_unknown": True}, "unclear whether it took effect")],
)
def test_what_was_done_otherwise_once_is_told_once(known: dict[str, Any], read: str) -> None:
    hooks = Hooks(before_tool=lambda _planned: DoneOtherwise({"error": "done with other arguments", **known}))
    made = tool("book", Book(), parameters=ROOM, mutates=True)
    result = play([calls(call("book", LOFT), call("book", LOFT)), says("")], made, hooks=hooks)
    assert [line.outcome for line in result.work][1] == "repeated"
    assert result.text.count(read) == 1 and "times" not in result.text


def test_a_repetition_takes_no_invocation_id() -> None:
    def ids(*rounds: tuple[str, ...]) -> dict[str, UUID | None]:
        done = booked(Book(), *rounds).calls
        return {each.arguments["room"]: each.invocation_id for each in done if each.outcome == "ran"}

    assert ids((LOFT, LOFT), (ATTIC,)) == ids((LOFT,), (ATTIC,)) == ids((LOFT, ATTIC))


def test_each_call_of_the_batch_still_gets_its_answer_and_its_event() -> None:
    events: list[dict[str, Any]] = []
    model = Model([calls(call("book", LOFT), call("book", LOFT)), says(ANSWER), says(ANSWER)])
    play(model, tool("book", Book(), parameters=ROOM, mutates=True), on_event=events.append)
    assert len(tool_messages(model.requests[1])) == 2
    ended = [event["status"] for event in events if event["type"] == "tool" and event["status"] != "running"]
    assert ended == ["done", "done"]


@pytest.mark.parametrize("ending", [says(""), down(retryable=False)])
def test_people_read_of_it_once(ending: Any) -> None:
    result = play(
        [calls(call("book", LOFT), call("book", LOFT)), ending],
        tool("book", Book(), parameters=ROOM, mutates=True),
    )
    assert [line.outcome for line in result.work] == ["done", "repeated"]
    assert result.text.endswith("- Using book: done")


def test_it_runs_nothing_after_a_cancel() -> None:
    seen: list[bool] = []

    def gate(_planned: Any) -> Any:
        seen.append(True)
        return Refuse("no")

    result = booked(Book(), (LOFT, LOFT), hooks=Hooks(before_tool=gate), cancelled=lambda: bool(seen))
    assert (result.failure, len(result.calls)) == ("cancelled", 2)
