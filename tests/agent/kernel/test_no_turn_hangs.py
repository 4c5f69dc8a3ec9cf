"""Nothing around a tool can hold up a turn, and nothing it raises gets lost on the way to the report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from apps.agent.kernel import ExecutedCall, Hooks, Proceed
from tests.fakes.kernel import Gate, call, calls, play, says, tool

ANSWER = "That did not work out this time, sorry."


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


class Leaves(Exception):
    def __str__(self) -> str:
        raise SystemExit(1)


def only_call(execute: Any = None, *, seconds: float | None = None, **more: Any) -> ExecutedCall:
    mine = tool("book", execute, mutates=True, timeout_seconds=seconds)
    return play([calls(call("book")), says(ANSWER)], mine, **more).calls[0]


def test_leave_that_is_never_given_is_waited_for_no_longer_than_the_tool() -> None:
    gate = Gate()
    ran: list[bool] = []

    def hangs(_call: object) -> Proceed:
        gate.wait()
        return Proceed()

    done = only_call(lambda _a, _c: ran.append(True), seconds=0.05, hooks=Hooks(before_tool=hangs))
    gate.open()
    assert (done.outcome, done.unknown_outcome, done.begun, ran) == ("timed_out", False, False, [])


@pytest.mark.parametrize("early", [True, False])
def test_so_is_a_scope_that_hangs(early: bool) -> None:
    gate = Gate()

    @contextmanager
    def scope() -> Iterator[None]:
        if early:
            gate.wait()
        yield
        if not early:
            gate.wait()

    done = only_call(seconds=0.05, tool_scope=scope)
    gate.open()
    assert (done.outcome, done.unknown_outcome) == ("timed_out", not early)


@pytest.mark.parametrize("error", [Mute, Leaves])
def test_an_exception_that_cannot_be_put_into_words_is_reported(error: type[Exception]) -> None:
    def broken(_arguments: object, _context: object) -> Any:
        raise error

    done = only_call(broken)
    assert (done.outcome, done.error_detail) == ("raised", f"{error.__name__}: <{error.__name__}>")


def test_so_is_one_of_the_scope() -> None:
    def scope() -> Any:
        raise Mute

    assert only_call(tool_scope=scope).outcome == "raised"


def test_a_detail_that_cannot_be_put_into_words_does_no_harm() -> None:
    done = only_call(lambda _a, _c: {"success": False, "error_detail": Mute()})
    assert done.error_detail == "<Mute>"
