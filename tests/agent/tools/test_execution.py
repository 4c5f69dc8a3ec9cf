"""A tool run on its own: begun twice under one id it acts once, and a hung one is given up."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from apps.agent.kernel.hooks import Hooks
from apps.agent.kernel.single import problem_with, run_one
from apps.agent.kernel.types import KernelTool, Limits
from apps.agent.record.journal import OUTCOME_UNKNOWN
from apps.agent.tools.execution import execute_tool
from apps.agent.turn_values import Caller
from apps.foundation.database import at_work
from apps.foundation.errors import BadInput
from apps.tenancy.context import tenant_context
from tests.fakes.backend import Reply
from tests.plugins.community import Community

ADA = Caller(email="ada@harbour.example")
ROUTE = "POST /integration/tools/book_room"


def test_a_second_run_under_one_id_replays_the_first(community: Community) -> None:
    community.backend.answer(ROUTE, Reply({"success": True, "data": {"booking": 7}}))
    run_id = uuid4()
    with tenant_context(community.tenant):
        runs = [
            execute_tool("book_room", {"room": "Loft"}, caller=ADA, invocation_id=run_id) for _ in range(2)
        ]
    assert [run.result["data"] for run in runs] == [{"booking": 7}, {"booking": 7}]
    (call,) = community.backend.calls(ROUTE)
    assert call.json["invocation_id"] == str(run_id)


def test_an_action_whose_end_nobody_saw_is_not_repeated(community: Community) -> None:
    community.backend.answer(ROUTE, Reply(hang_up="at_once"), Reply({"success": True}))
    run_id = uuid4()
    with tenant_context(community.tenant):
        first = execute_tool("book_room", {"room": "Loft"}, caller=ADA, invocation_id=run_id)
        calls = len(community.backend.calls(ROUTE))
        second = execute_tool("book_room", {"room": "Loft"}, caller=ADA, invocation_id=run_id)
    if first.success:  # the client asked again under the same invocation, as the protocol allows
        assert second.result == first.result
    else:
        assert second.result["error"] == OUTCOME_UNKNOWN
    assert len(community.backend.calls(ROUTE)) == calls


def test_wrong_arguments_never_reach_the_tool(community: Community) -> None:
    with tenant_context(community.tenant), pytest.raises(BadInput, match="room is required"):
        execute_tool("book_room", {"rooms": "Loft"}, caller=ADA)
    assert community.backend.calls(ROUTE) == []


def _tool(**more: Any) -> KernelTool:
    plain = KernelTool(
        name="t",
        description="",
        label="",
        parameters={"type": "object", "required": ["a"]},
        mutates=True,
        execute=lambda arguments, _context: {"success": True, "data": arguments},
    )
    return replace(plain, **more)


def test_a_tool_that_hangs_is_given_up_in_doubt() -> None:
    gate = threading.Event()

    def hangs(_arguments: dict[str, Any], _context: Any) -> dict[str, Any]:
        gate.wait(30)
        return {"success": True}

    tool = _tool(execute=hangs, timeout_seconds=0.05)
    call = run_one(tool, {"a": 1}, invocation_id=uuid4(), hooks=Hooks(), tool_scope=at_work, limits=Limits())
    gate.set()
    assert (call.outcome, call.success, call.result["outcome_unknown"]) == ("timed_out", False, True)


def test_odd_arguments_are_cleaned_before_they_are_checked_and_run() -> None:
    assert problem_with(_tool(), {}) == "a is required"
    call = run_one(_tool(), {"a": "x\u0000\ud800"}, invocation_id=uuid4(), hooks=Hooks(), tool_scope=at_work)
    assert call.result["data"] == {"a": "x\ufffd\ufffd"}
