"""Objects that break in odd ways: a turn ends in an answer whatever a tool hands over."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from apps.agent.kernel import ExecutedCall, ToolCallContext
from tests.fakes.kernel import call, calls, play, says, tool

ANSWER = "That is all there is to say about it."


class Leaves:
    """Asks the process to end when it is to say what it is."""

    def __init__(self, error: type[BaseException]) -> None:
        self._error = error

    def __str__(self) -> str:
        raise self._error


class LeavingError(Exception):
    def __str__(self) -> str:
        raise SystemExit


class LeavingList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise KeyboardInterrupt


def done(execute: Any) -> ExecutedCall:
    result = play([calls(call("lookup")), says(ANSWER)], tool("lookup", execute))
    assert result.text == ANSWER
    return result.calls[0]


@pytest.mark.parametrize("images", [iter([1, 2]), itertools.count(), "abc", {"a": 1}, 5, LeavingList([1])])
def test_images_that_are_no_list_are_none(images: Any) -> None:
    call_ = done(lambda _a, _c: {"success": True, "images": images})
    assert (call_.success, call_.images) == (True, ())


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, ValueError])
def test_a_value_that_cannot_say_what_it_is(error: type[BaseException]) -> None:
    call_ = done(lambda _a, _c: {"success": True, "data": Leaves(error), "error_detail": Leaves(error)})
    assert (call_.success, call_.result["data"], call_.error_detail) == (True, "<Leaves>", "<Leaves>")


def test_an_exception_that_cannot() -> None:
    def raises(_arguments: Any, _context: Any) -> Any:
        raise LeavingError

    assert done(raises).error_detail == "LeavingError: <LeavingError>"


def test_a_result_that_ends_the_process_when_read() -> None:
    assert not done(lambda _a, _c: {"success": True, "data": LeavingList([1])}).success


@pytest.mark.parametrize("message", [None, 5, b"x", Leaves(SystemExit), Leaves(KeyboardInterrupt), ["a"]])
def test_progress_that_is_no_text_fails_nothing(message: Any) -> None:
    def talks(_arguments: Any, context: ToolCallContext) -> Any:
        context.report_progress(message)
        return {"success": True}

    assert done(talks).success
