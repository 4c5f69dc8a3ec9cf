"""What surrounds a tool's result in the transcript is the caller's choice."""

from __future__ import annotations

import json

from tests.fakes.kernel import Model, call, calls, context, play, says, tool


def test_the_json_of_each_result_is_framed_and_stays_whole() -> None:
    model = Model(
        [calls(call("lookup"), call("nothing")), says("Enough."), says("A complete answer, at last.")]
    )
    play(model, tool(), frame=lambda text: f"<<\n{text}\n>>")
    framed = [m["content"].split("\n") for m in model.requests[-1].messages if m["role"] == "tool"]
    assert [(first, last) for first, _, last in framed] == [("<<", ">>")] * 2
    assert [json.loads(text)["success"] for _, text, _ in framed] == [True, False]


def test_a_frame_that_raises_is_passed_over() -> None:
    def frame(_text: str) -> str:
        raise ValueError

    model = Model([calls(call("lookup")), says("Enough."), says("A complete answer, at last.")])
    assert play(model, tool(), frame=frame).success
    (sent,) = [m["content"] for m in model.requests[-1].messages if m["role"] == "tool"]
    assert json.loads(sent)["success"] is True


def test_without_one_nothing_is_added() -> None:
    assert context([says("x")]).frame("{}") == "{}"
