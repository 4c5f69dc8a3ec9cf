"""Told to try again, people must know what went through before."""

from __future__ import annotations

from tests.fakes.kernel import Step, call, calls, down, play, tool

GONE: list[Step] = [down(retryable=False)]


def test_an_action_that_went_through_is_named_when_the_model_is_gone() -> None:
    result = play([calls(call("book"), call("lookup")), *GONE], tool("book", mutates=True), tool())
    assert (result.failure, result.success) == ("llm_failed", False)
    assert "try again" in result.text
    assert "- Using book: done" in result.text
    assert "Using lookup" not in result.text


def test_so_is_one_whose_outcome_is_unknown() -> None:
    lost = tool(
        "book", lambda _a, _c: {"success": False, "error": "?", "outcome_unknown": True}, mutates=True
    )
    result = play([calls(call("book")), *GONE], lost)
    assert "- Using book: unclear whether it took effect" in result.text


def test_one_that_failed_may_simply_be_asked_for_again() -> None:
    failed = tool("book", lambda _a, _c: {"success": False, "error": "taken"}, mutates=True)
    assert "Using book" not in play([calls(call("book")), *GONE], failed).text


def test_it_is_named_when_the_turn_is_stopped() -> None:
    done: list[bool] = []

    def book(_arguments: object, _context: object) -> dict[str, bool]:
        done.append(True)
        return {"success": True}

    result = play([calls(call("book"))], tool("book", book, mutates=True), cancelled=lambda: bool(done))
    assert result.failure == "cancelled"
    assert "Using book: done" in result.text or "Using book: unclear" in result.text
