"""A cancelled turn stops at once, and says what had run."""

from __future__ import annotations

import threading
from typing import Any

from apps.agent.kernel import ChatReply, ChatRequest, Limits, ToolCallContext
from tests.fakes.kernel import Gate, Model, call, calls, down, play, says, tool


class Switch:
    def __init__(self) -> None:
        self.on = False

    def __call__(self) -> bool:
        return self.on

    def press(self) -> None:
        self.on = True


def test_before_anything_no_model_is_called() -> None:
    model = Model([says("never")])
    result = play(model, tool(), cancelled=lambda: True)
    assert (model.requests, result.failure, result.success) == ([], "cancelled", False)


def test_a_reply_that_comes_too_late_is_not_delivered() -> None:
    switch = Switch()

    def late(_request: ChatRequest) -> ChatReply:
        switch.press()
        return says("Here is the answer, complete as it is.")

    result = play([late], cancelled=switch)
    assert (result.failure, result.success) == ("cancelled", False)


def test_a_running_tool_is_left_to_itself() -> None:
    switch, gate = Switch(), Gate()

    def hangs(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        switch.press()
        gate.wait()
        return {"success": True}

    model = Model([calls(call("change"), call("read"))])
    tools = (tool("change", hangs, mutates=True), tool("read"))
    result = play(model, *tools, cancelled=switch, limits=Limits(tool_workers=1))
    gate.open()
    changing, reading = result.calls
    assert result.failure == "cancelled"
    assert (changing.outcome, changing.unknown_outcome) == ("cancelled", True)
    assert (reading.outcome, reading.unknown_outcome) == ("cancelled", False)
    assert len(model.requests) == 1


def test_a_tool_can_see_that_it_is_no_longer_wanted() -> None:
    switch, seen, pause = Switch(), Gate(), threading.Event()

    def patient(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        switch.press()
        while not context.cancelled():
            pause.wait(0.01)
        seen.open()
        return {"success": True}

    assert play([calls(call("patient"))], tool("patient", patient), cancelled=switch).failure == "cancelled"
    seen.wait()


def test_the_pause_between_attempts_is_not_sat_out() -> None:
    switch = Switch()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        switch.press()

    result = play([down()], cancelled=switch, limits=Limits(sleep=sleep))
    assert (result.failure, len(slept)) == ("cancelled", 1)


def test_a_broken_cancel_check_does_not_cancel() -> None:
    def broken() -> bool:
        raise OSError

    assert play([says("Hello, what can I do for you?")], cancelled=broken).success
