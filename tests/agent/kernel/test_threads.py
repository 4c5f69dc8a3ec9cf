"""Calls of a batch run side by side, each in the context of its own turn (RET-07)."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from apps.agent.kernel import ExecutedCall, Hooks, Limits, PlannedCall, Proceed, ToolCallContext
from apps.agent.kernel.threads import THREADS
from tests.fakes.kernel import Model, call, calls, play, says, tool

ANSWER = "Here is what five searches brought up."
TENANT: contextvars.ContextVar[str] = contextvars.ContextVar("TENANT")


def test_the_calls_of_a_batch_run_at_the_same_time() -> None:
    meeting = threading.Barrier(5, timeout=30)

    def meets(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        meeting.wait()
        return {"success": True}

    result = play([calls(*[call("meet")] * 5), says(ANSWER)], tool("meet", meets))
    assert all(done.success for done in result.calls)


def test_no_more_threads_than_allowed() -> None:
    lock, now, most = threading.Lock(), 0, 0
    pair = threading.Barrier(2, timeout=30)

    def counts(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        pair.wait()
        with lock:
            now -= 1
        return {"success": True}

    play([calls(*[call("count")] * 20), says(ANSWER)], tool("count", counts), limits=Limits(tool_workers=2))
    assert most == 2


def test_results_keep_the_order_of_the_calls() -> None:
    second_done = threading.Event()

    def first(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        assert second_done.wait(30)
        return {"success": True}

    def second(_arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        second_done.set()
        return {"success": True}

    result = play(
        [calls(call("first"), call("second")), says(ANSWER)], tool("first", first), tool("second", second)
    )
    assert [(done.name, done.success) for done in result.calls] == [("first", True), ("second", True)]


def one_turn(number: int) -> list[str]:
    """Everything that ran for one turn says which tenant it saw."""
    tenant = "AB"[number % 2]
    TENANT.set(tenant)
    seen: list[str] = []

    def searches(arguments: dict[str, Any], _context: ToolCallContext) -> dict[str, Any]:
        seen.append(TENANT.get())
        TENANT.set("somebody else")
        if arguments.get("break"):
            raise RuntimeError
        return {"success": True}

    def before(_call: PlannedCall) -> Proceed:
        seen.append(TENANT.get())
        return Proceed()

    def after(_call: PlannedCall, result: dict[str, Any]) -> dict[str, Any]:
        seen.append(TENANT.get())
        return result

    def batch_done(_calls: Sequence[ExecutedCall]) -> None:
        seen.append(TENANT.get())

    batch = calls(*[call("search", '{"break":true}' if nth == 2 else "{}") for nth in range(5)])
    hooks = Hooks(before_tool=before, after_tool=after, after_batch=batch_done)
    play([batch, batch, says(ANSWER)], tool("search", searches), hooks=hooks)
    assert len(seen) == 2 * (5 * 3 + 1)
    assert set(seen) == {tenant}
    return seen


def test_twenty_turns_at_once_never_see_another_tenant() -> None:
    with ThreadPoolExecutor(20) as pool:
        for number, turn in enumerate([pool.submit(one_turn, number) for number in range(20)]):
            assert set(turn.result(60)) == {"AB"[number % 2]}


def test_each_call_is_surrounded_by_the_scope_in_its_own_thread() -> None:
    entered: list[int] = []
    left: list[int] = []

    @contextmanager
    def scope() -> Iterator[None]:
        entered.append(threading.get_ident())
        try:
            yield
        finally:
            left.append(threading.get_ident())

    play([calls(call("lookup"), call("lookup")), says(ANSWER)], tool(), tool_scope=scope)
    assert len(entered) == 2
    assert sorted(entered) == sorted(left)
    assert threading.get_ident() not in entered


def test_a_scope_that_fails_on_leaving_does_not_undo_the_result() -> None:
    @contextmanager
    def scope() -> Iterator[None]:
        yield
        raise OSError

    assert play([calls(call("lookup")), says(ANSWER)], tool(), tool_scope=scope).calls[0].success


def test_a_thread_that_cannot_start_is_a_failed_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    THREADS.forget()
    monkeypatch.setattr(threading.Thread, "start", exhausted)
    result = play(Model([calls(call("lookup")), says(ANSWER)]), tool())
    assert result.calls[0].outcome == "raised"
