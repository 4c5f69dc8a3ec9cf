"""Arguments that are cut off, of the wrong kind or wrong in themselves (LLM-03)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.agent.kernel import ChatReply, ToolCallContext
from apps.agent.kernel.arguments import read_arguments
from tests.fakes.kernel import Model, call, calls, play, says, tool, tool_messages

ANSWER = "Some of that could not be done, sorry."


def strict(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def test_cut_off_and_odd_arguments_in_one_batch() -> None:
    ran: list[tuple[str, dict[str, Any]]] = []

    def noting(name: str, schema: dict[str, Any]) -> Any:
        def execute(arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
            ran.append((name, arguments))
            return {"success": True}

        return tool(name, execute, parameters=schema, mutates=True)

    text = {"type": "string"}
    tools = [
        noting("create_follow_up", strict("instruction", instruction=text)),
        noting("list_my_slack_contributions", strict()),
        noting("escalate_to_admin", strict("reason", reason=text)),
        noting("search_knowledge_base", strict("query", query=text)),
        noting("set_dm_reply_style", strict("style", style={"enum": ["brief", "full"]})),
    ]
    batch = calls(
        call("create_follow_up", '{"instruction":"call mum","wh'),
        call("list_my_slack_contributions", ""),
        call("escalate_to_admin", "null"),
        call("search_knowledge_base", "[1]"),
        call("set_dm_reply_style", '{"style":"loud"}'),
    )
    model = Model([batch, says(ANSWER), says(ANSWER)])
    result = play(model, *tools)
    assert ran == [("list_my_slack_contributions", {})]
    answers = tool_messages(model.requests[1])
    assert [answer["success"] for answer in answers] == [False, True, False, False, False]
    assert "instruction is required" in answers[0]["error"]
    assert "reason is required" in answers[2]["error"]
    assert "query is required" in answers[3]["error"]
    assert 'style must be one of ["brief","full"]' in answers[4]["error"]
    assert not result.success
    assert result.text == ANSWER


@pytest.mark.parametrize("mutates", [True, False])
@pytest.mark.parametrize(
    "raw",
    ['{"only_id": "b1', "only_id=b1", '[{"only_id": "b1"}]', "5", '{"only_id": NaN}', '"{\\"only_id\\": "'],
)
def test_an_action_is_not_run_with_the_rest_of_broken_arguments(raw: str, mutates: bool) -> None:
    optional = strict(only_id={"type": "string"})
    result = play(
        [calls(call("cancel", raw)), says(ANSWER)], tool("cancel", parameters=optional, mutates=mutates)
    )
    assert result.calls[0].outcome == ("invalid_arguments" if mutates else "ran")


@pytest.mark.parametrize("raw", ["", " ", "null", "{}", '"{}"'])
def test_nothing_written_counts_as_no_arguments_even_for_an_action(raw: str) -> None:
    result = play([calls(call("cancel", raw)), says(ANSWER)], tool("cancel", mutates=True))
    assert (result.calls[0].outcome, result.calls[0].arguments) == ("ran", {})


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ("", {}),
        ("null", {}),
        ("[1]", {}),
        ("3", {}),
        ("{", {}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": NaN}', {}),
        ('{"a": 1e999}', {"a": "inf"}),
        ('{"a": "\\ud800"}', {"a": "\ufffd"}),
        ('{"a": "x\\u0000y"}', {"a": "x\ufffdy"}),
        ("[" * 100_000, {}),
        ('{"a":' + "9" * 5_000 + "}", {}),
        (None, {}),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_what_counts_as_arguments(raw: Any, parsed: dict[str, Any]) -> None:
    assert read_arguments(raw).values == parsed


@given(st.text())
def test_any_text_gives_an_object_that_can_be_sent(raw: str) -> None:
    json.dumps(read_arguments(raw).values, ensure_ascii=False, allow_nan=False).encode()


def test_a_tool_cannot_change_what_is_recorded() -> None:
    def greedy(arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        arguments["list"].clear()
        return {"success": True}

    result = play([calls(call("greedy", '{"list":[1]}')), says(ANSWER)], tool("greedy", greedy))
    assert result.calls[0].arguments == {"list": [1]}


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_action_whose_arguments_were_never_reached_is_not_run(reason: str) -> None:
    batch = (call("cancel"), call("cancel", ""))
    cut = ChatReply(text=None, tool_calls=batch, finish_reason=reason)
    result = play([cut, says(ANSWER)], tool("cancel", mutates=True))
    assert [each.outcome for each in result.calls] == ["ran", "invalid_arguments"]
