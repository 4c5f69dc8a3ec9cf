"""The summary of a turn's work, for channels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from apps.agent.kernel import Hooks, Refuse, ToolCallContext, WorkLine
from tests.fakes.kernel import call, calls, play, says, tool

ANSWER = "That is all there is to say about it."


def talks(_arguments: dict[str, Any], context: ToolCallContext) -> dict[str, Any]:
    context.report_progress("half way")
    context.report_progress(" nearly there ")
    return {"success": True}


def test_each_call_has_a_line_with_its_last_progress() -> None:
    result = play(
        [calls(call("talk", call_id="a"), call("nope", call_id="b")), says(ANSWER)], tool("talk", talks)
    )
    assert result.work == (
        WorkLine(call_id="a", name="talk", label="Using talk", outcome="done", mutates=False, progress="nearly there"),
        WorkLine(call_id="b", name="nope", label="", outcome="not_run", mutates=False),
    )  # fmt: skip


def test_outcomes_are_told_apart() -> None:
    results: dict[str, dict[str, Any]] = {
        "found": {"success": True, "data": [1]},
        "empty": {"success": True, "data": {"count": 0}},
        "failed": {"success": False, "error": "no"},
        "lost": {"success": False, "error": "?", "outcome_unknown": True},
    }
    tools = [tool(name, lambda _a, _c, name=name: results[name]) for name in results]  # type: ignore[misc]
    result = play([calls(*[call(name) for name in results]), says(ANSWER)], *tools)
    assert [line.outcome for line in result.work] == ["done", "nothing_found", "failed", "unknown"]


def test_an_action_that_returns_nothing_is_still_done() -> None:
    deletes = tool("delete", lambda _a, _c: {"success": True, "data": {"count": 0}}, mutates=True)
    assert play([calls(call("delete")), says(ANSWER)], deletes).work[0].outcome == "done"


def test_a_refused_call_was_not_run() -> None:
    hooks = Hooks(before_tool=lambda _call: Refuse("Not for you."))
    assert play([calls(call("lookup")), says(ANSWER)], tool(), hooks=hooks).work[0].outcome == "not_run"


def test_labels_are_one_clean_line() -> None:
    odd = replace(tool(), label=" Looking\n\tup\x00 " + "x" * 200)
    label = play([calls(call("lookup")), says(ANSWER)], odd).work[0].label
    assert label.startswith("Looking up\ufffd x") and len(label) == 100


@pytest.mark.parametrize("blank", ["", "  ", "\u3164\u115f", "\u2800", "\u200b\n"])
def test_a_label_of_blanks_gives_way_to_the_name(blank: str) -> None:
    events: list[dict[str, Any]] = []
    blanked = replace(tool(), label=blank)
    result = play([calls(call("lookup")), says("")], blanked, on_event=events.append)
    assert "- lookup: done" in result.text
    assert {event["label"] for event in events if event["type"] == "tool"} == {"lookup"}


def test_a_run_without_tools_has_no_work() -> None:
    assert play([says(ANSWER)]).work == ()
