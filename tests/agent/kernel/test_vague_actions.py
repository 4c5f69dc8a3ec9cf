"""An action that ran and told nothing clear, and ports and scopes that break their word."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from apps.agent.kernel import Limits, wording
from apps.agent.kernel.types import ChatReply
from tests.fakes.kernel import call, calls, play, says, tool

ANSWER = "It is not clear whether the room was booked."


@pytest.mark.parametrize("result", [{}, {"data": {"id": 5}}, {"success": 1}, {"success": "true"}])
def test_an_action_that_says_neither_yes_nor_no_is_unknown(result: dict[str, Any]) -> None:
    book = tool("book", mutates=True, execute=lambda _a, _c: result)
    played = play([calls(call("book")), says(ANSWER), says(ANSWER)], book)
    assert played.calls[0].unknown_outcome and not played.success


def test_an_action_that_says_no_has_failed() -> None:
    book = tool("book", mutates=True, execute=lambda _a, _c: {"success": False, "error": "taken"})
    played = play([calls(call("book")), says(ANSWER), says(ANSWER)], book)
    assert not played.calls[0].unknown_outcome and "_told" not in played.calls[0].result


CONTENT_PARTS: Any = [{"type": "text"}]
BARE_CALLS: Any = ({},)


@pytest.mark.parametrize(
    "reply", [None, ChatReply(text=CONTENT_PARTS), ChatReply(text="", tool_calls=BARE_CALLS)]
)
def test_a_reply_of_the_wrong_shape_ends_the_run_in_order(reply: Any) -> None:
    no_sleep = Limits(sleep=lambda _seconds: None)
    played = play([calls(call("lookup")), lambda _request: reply], tool("lookup"), limits=no_sleep)
    assert played.failure == "llm_failed" and len(played.calls) == 1
    assert played.text.startswith(wording.LLM_FAILED)


def test_a_scope_that_swallows_exceptions_is_a_failed_call() -> None:
    def broken(_arguments: Any, _context: Any) -> dict[str, Any]:
        raise ValueError("inside")

    played = play(
        [calls(call("lookup")), says(ANSWER), says(ANSWER)],
        tool("lookup", execute=broken),
        tool_scope=lambda: contextlib.suppress(Exception),
    )
    assert played.calls[0].outcome == "raised"


def test_a_claim_beside_an_acted_out_call_is_not_sent_when_nothing_ran() -> None:
    claim = says('Your table is booked.\n<tool_call>{"name": "book", "arguments": {}}</tool_call>')
    played = play([claim] * 9, tool("book", mutates=True))
    assert (played.calls, played.success) == ((), False)
    assert "booked" not in played.text
