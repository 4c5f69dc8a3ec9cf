"""The commentary of a turn: complete, in order, one at a time, and never fatal."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from apps.agent.kernel import ChatReply, ChatRequest, ToolCallContext
from apps.agent.kernel.events import Events
from tests.fakes.kernel import Gate, call, calls, play, says, tool

ANSWER = "All of that is described in the handbook."
PLAN = "Looking it up.\n- searching pages\n- asking around"


def talks(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
    context.report_progress("  half way  ")
    context.report_progress("x" * 900)
    context.report_progress(" \n ")
    return {"success": True}


def test_the_story_of_a_turn() -> None:
    events: list[dict[str, Any]] = []
    play(
        [calls(call("talk", call_id="c1"), text=PLAN), says(ANSWER), says(ANSWER)],
        tool("talk", talks),
        on_event=events.append,
    )
    shown = {"type": "tool", "id": "c1", "name": "talk", "label": "Using talk"}
    assert events == [
        {"type": "phase", "phase": "planning", "round": 1},
        {"type": "plan", "text": PLAN},
        {**shown, "status": "running"},
        {"type": "progress", "id": "c1", "message": "half way"},
        {"type": "progress", "id": "c1", "message": "x" * 500},
        {**shown, "status": "done"},
        {"type": "phase", "phase": "planning", "round": 2},
        {"type": "phase", "phase": "answer", "round": 3},
    ]


def test_an_outcome_that_nobody_knows_is_shown_as_a_failure_in_doubt() -> None:
    events: list[dict[str, Any]] = []
    lost = tool("book", lambda _a, _c: None, mutates=True)
    play([calls(call("book")), says(ANSWER)], lost, on_event=events.append)
    told = [(e["status"], e.get("outcome_unknown")) for e in events if e["type"] == "tool"]
    assert told == [("running", None), ("failed", True)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"<think>hm</think>{PLAN}<|im_end|>", [PLAN]),
        (f" {PLAN}\x00 ", [f"{PLAN}\ufffd"]),
        ("\u200b\u2060", []),
        ("<think>hm", []),
        (None, []),
    ],
)
def test_a_plan_is_read_as_any_text_is(text: str | None, shown: list[str]) -> None:
    events: list[dict[str, Any]] = []
    play([calls(call("talk"), text=text), says(ANSWER)], tool("talk", talks), on_event=events.append)
    assert [event["text"] for event in events if event["type"] == "plan"] == shown


def test_calls_that_failed_and_tools_that_do_not_exist_are_shown_as_failed() -> None:
    events: list[dict[str, Any]] = []
    play(
        [calls(call("nope"), call("bad")), says(ANSWER)],
        tool("bad", lambda _a, _c: None),
        on_event=events.append,
    )
    last = {event["name"]: event["status"] for event in events if event["type"] == "tool"}
    assert last == {"nope": "failed", "bad": "failed"}


def test_a_listener_that_raises_does_not_break_the_turn() -> None:
    def broken(_event: dict[str, Any]) -> None:
        raise BrokenPipeError

    assert play(
        [calls(call("talk")), says(ANSWER), says(ANSWER)], tool("talk", talks), on_event=broken
    ).success


def test_events_never_overlap() -> None:
    inside, moment = threading.Lock(), threading.Event()
    overlaps: list[Any] = []

    def listener(event: dict[str, Any]) -> None:
        if not inside.acquire(blocking=False):
            overlaps.append(event)
            return
        moment.wait(0.001)
        inside.release()

    def chatters(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        for number in range(10):
            context.report_progress(str(number))
        return {"success": True}

    play([calls(*[call("chat")] * 8), says(ANSWER)], tool("chat", chatters), on_event=listener)
    assert overlaps == []


def test_nothing_is_heard_of_a_tool_after_its_timeout() -> None:
    events: list[dict[str, Any]] = []
    gate, spoken = Gate(), Gate()

    def late(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        gate.wait()
        context.report_progress("too late")
        spoken.open()
        return {"success": True}

    def answers(_request: ChatRequest) -> ChatReply:
        gate.open()
        spoken.wait()
        return says(ANSWER)

    play([calls(call("late")), answers], tool("late", late, timeout_seconds=0.02), on_event=events.append)
    assert "progress" not in {event["type"] for event in events}


def test_nothing_is_heard_after_the_turn() -> None:
    events: list[dict[str, Any]] = []
    kept: list[ToolCallContext] = []

    def leaks(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
        kept.append(context)
        return {"success": True}

    log = Events(events.append)
    play([calls(call("leak")), says(ANSWER), says(ANSWER)], tool("leak", leaks), on_event=events.append)
    seen = len(events)
    kept[0].report_progress("still here")
    assert len(events) == seen
    log.close()
    log.progress("c1", message="closed")
    assert len(events) == seen


def test_a_plan_with_an_acted_out_call_is_not_shown() -> None:
    events: list[dict[str, Any]] = []
    text = 'Looking.\n<tool_call>{"name":"talk"}</tool_call>'
    play([calls(call("talk"), text=text), says(ANSWER)], tool("talk", talks), on_event=events.append)
    assert "plan" not in {event["type"] for event in events}


def test_a_name_the_model_made_up_is_not_shown_as_a_step() -> None:
    heard: list[dict[str, object]] = []
    strict = tool("lookup", parameters={"type": "object", "required": ["q"]})
    batch = calls(call("ignore_all_rules"), call("lookup"))
    play([batch, says("That could not be looked up.")], strict, on_event=heard.append)
    labels = [event["label"] for event in heard if event["type"] == "tool"]
    assert labels == ["A step that is not available", "Using lookup"]
