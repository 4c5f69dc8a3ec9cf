"""Streamed answers: progress as it comes, one result, and nothing repeated when it breaks."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from apps.integrations.models import Integration
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.results import ToolOutcome
from tests.fakes.backend import NDJSON, FakeBackend, Reply, in_pieces, ndjson
from tests.integrations.rootint.test_invocation import ROUTE, TOOL

STREAM = {"content-type": f"{NDJSON}; charset=utf-8"}
RESULT = {"type": "result", "success": True, "data": {"é": "😊"}}


def run(integration: Integration, progress: list[str] | None = None, *, timeout: float = 20) -> ToolOutcome:
    return invoke_tool(
        integration.pk,
        replace(TOOL, timeout_seconds=timeout),
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
        on_progress=(progress if progress is not None else []).append,
    )


def says(message: Any) -> dict[str, Any]:
    return {"type": "progress", "message": message}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_lines_and_characters_may_be_cut_anywhere(
    integration: Integration, backend: FakeBackend, size: int
) -> None:
    text = ndjson(says("läuft 😊"), says("fast fertig"), RESULT)
    backend.answer(ROUTE, Reply(headers=STREAM, pieces=in_pieces(text, size=size)))
    progress: list[str] = []
    outcome = run(integration, progress)
    assert (outcome.success, outcome.data) == (True, {"é": "😊"})
    assert progress == ["läuft 😊", "fast fertig"]


def test_progress_arrives_while_the_tool_is_still_working(
    integration: Integration, backend: FakeBackend
) -> None:
    heard = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield ndjson(says("started"))
        assert heard.wait(30)
        yield ndjson(RESULT)

    backend.answer(ROUTE, Reply(headers=STREAM, pieces=pieces))
    outcome = invoke_tool(
        integration.pk,
        TOOL,
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
        on_progress=lambda _: heard.set(),
    )
    assert outcome.success


def test_stray_lines_are_passed_over(integration: Integration, backend: FakeBackend) -> None:
    text = ndjson(
        b"debug: hello\n", b"\n", b"[1]\n", b"\xff\xfe\n", b'{"type":"result"\n', {"type": "log"}, says(7),
        says("  "), says(" " + "x" * 900 + " "), RESULT, says("too late"),
    )  # fmt: skip
    backend.answer(ROUTE, Reply(text.replace(b"\n", b"\r\n"), headers=STREAM))
    progress: list[str] = []
    assert run(integration, progress).success
    assert progress == ["x" * 500]


def test_a_last_line_needs_no_line_feed(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(ndjson(RESULT).rstrip(), headers=STREAM))
    assert run(integration).success


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"", headers=STREAM),
        Reply(ndjson(says("started")), headers=STREAM),
        Reply(ndjson({"type": "result", "success": "yes"}), headers=STREAM),
        Reply(ndjson(says("started")), headers=STREAM, hang_up="half_way"),
    ],
)
def test_a_stream_without_a_result_is_bad_and_never_repeated(
    integration: Integration, backend: FakeBackend, reply: Reply
) -> None:
    backend.answer(ROUTE, reply, Reply({"success": True}))
    outcome = run(integration)
    assert (outcome.success, outcome.attempts) == (False, 1)
    assert outcome.error_detail is not None
    assert outcome.error_detail.startswith("bad_response")
    assert len(backend.calls(ROUTE)) == 1


def test_progress_does_not_extend_the_time(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(
        ROUTE, Reply(headers=STREAM, pieces=lambda: itertools.repeat(ndjson(says("on"))), pause=0.05)
    )
    outcome = run(integration, timeout=0.5)
    assert outcome.error is not None
    assert "too long" in outcome.error
    assert len(backend.calls(ROUTE)) == 1


def test_an_endless_stream_ends_at_the_cap(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(headers=STREAM, pieces=lambda: itertools.repeat(b"x" * 65_536)))
    outcome = run(integration, timeout=60)
    assert outcome.error_detail is not None
    assert outcome.error_detail.startswith("too_large")


def test_a_listener_that_fails_does_not_take_the_answer_along(
    integration: Integration, backend: FakeBackend
) -> None:
    def fails(_: str) -> None:
        raise RuntimeError("gone")

    backend.answer(ROUTE, Reply(ndjson(says("a"), says("b"), RESULT), headers=STREAM))
    outcome = invoke_tool(
        integration.pk,
        TOOL,
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
        on_progress=fails,
    )
    assert outcome.success


def test_a_gateway_failure_before_the_stream_is_retried(
    integration: Integration, backend: FakeBackend
) -> None:
    backend.answer(
        ROUTE, Reply(ndjson(says("x")), headers=STREAM, status=503), Reply(ndjson(RESULT), headers=STREAM)
    )
    progress: list[str] = []
    assert run(integration, progress).attempts == 2
    assert progress == []
