"""What a changing tool did is unknown when it began and gave nothing readable back; what never began did not run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from apps.agent.kernel import ExecutedCall, Hooks, Limits, Refuse, RunResult
from tests.fakes.kernel import Gate, call, calls, down, play, says, tool

ANSWER = "I cannot say for certain whether this went through."


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError

    def __iter__(self) -> Iterator[str]:
        raise OSError

    def __len__(self) -> int:
        return 1


def lost(_arguments: object, _context: object) -> Any:
    raise ConnectionResetError("after the request was sent")


def booked(execute: Any, *, mutates: bool = True, **more: Any) -> ExecutedCall:
    result = play([calls(call("book")), says(ANSWER)], tool("book", execute, mutates=mutates), **more)
    return result.calls[0]


@pytest.mark.parametrize("mutates", [True, False])
@pytest.mark.parametrize("doubt", [True, 1, "yes"])
def test_a_success_in_doubt_is_none(doubt: Any, mutates: bool) -> None:
    done = booked(lambda _a, _c: {"success": True, "outcome_unknown": doubt, "data": "B-1"}, mutates=mutates)
    assert (done.success, done.unknown_outcome, done.result["data"]) == (False, True, "B-1")
    assert "Outcome unknown" in done.result["error"]


@pytest.mark.parametrize("mutates", [True, False])
@pytest.mark.parametrize(
    "execute",
    [
        lost,
        lambda _a, _c: None,
        lambda _a, _c: "booked",
        lambda _a, _c: {"success": True, "data": Unreadable()},
    ],
)
def test_without_a_readable_result_the_outcome_of_an_action_is_unknown(execute: Any, mutates: bool) -> None:
    done = booked(execute, mutates=mutates)
    assert (done.success, done.unknown_outcome) == (False, mutates)
    assert ("Outcome unknown" in done.result["error"]) is mutates


class Undecided:
    def __bool__(self) -> bool:
        raise ValueError


@pytest.mark.parametrize(
    "odd", [{"outcome_unknown": Undecided()}, {"outcome_unknown": True, "error": Undecided()}]
)
def test_a_flag_that_cannot_say_whether_it_is_set_is_a_doubt(odd: dict[str, Any]) -> None:
    assert booked(lambda _a, _c: {"success": True, **odd}).unknown_outcome


def test_the_model_is_not_told_that_it_was_not_done() -> None:
    result = play([calls(call("book")), says(ANSWER)], tool("book", lost, mutates=True))
    note = str(result.messages[-1]["content"])
    assert "NOT completed" not in note
    assert "unknown whether" in note


def test_a_person_is_told_that_it_may_have_happened() -> None:
    result = play([calls(call("book")), down(retryable=False)], tool("book", lost, mutates=True))
    assert "Using book: unclear whether it took effect" in result.text


def test_an_action_whose_scope_could_not_be_set_up_did_not_run() -> None:
    def scope() -> Any:
        raise OSError

    done = booked(lambda _a, _c: {"success": True}, tool_scope=scope)
    assert (done.outcome, done.unknown_outcome, done.begun) == ("raised", False, False)


def test_a_refused_action_stays_refused_when_its_result_cannot_be_cleaned() -> None:
    def broken(_call: object, _result: object) -> Any:
        raise ValueError

    hooks = Hooks(before_tool=lambda _call: Refuse("no"), after_tool=broken)
    result = play([calls(call("book")), says(ANSWER)], tool("book", mutates=True), hooks=hooks)
    assert (result.calls[0].outcome, result.calls[0].unknown_outcome) == ("refused", False)
    assert result.work[0].outcome == "not_run"


def cancelled_while_the_first_runs() -> RunResult:
    seen: list[bool] = []
    gate = Gate()

    def first(_arguments: object, _context: object) -> Any:
        seen.append(True)
        gate.wait()
        return {"success": True}

    tools = (tool("first", first, mutates=True), tool("second", mutates=True), tool("third"))
    batch = calls(*(call(each.name) for each in tools))
    result = play([batch], *tools, cancelled=lambda: bool(seen), limits=Limits(tool_workers=1))
    gate.open()
    return result


def test_what_had_not_begun_when_the_turn_was_cancelled_was_not_run() -> None:
    work = cancelled_while_the_first_runs().work
    assert [line.outcome for line in work] == ["unknown", "not_run", "not_run"]
