"""Three attempts where nothing can have happened, one where something may have."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from apps.integrations.models import Integration
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.results import ToolOutcome
from apps.tenancy.models import IntegrationToolCall
from tests.fakes.backend import FakeBackend, Reply
from tests.integrations.rootint.test_invocation import ROUTE, TOOL

GOOD = Reply({"success": True, "data": "booked"})


def invoke(integration: Integration, *, timeout: float = 20) -> ToolOutcome:
    return invoke_tool(
        integration.pk,
        replace(TOOL, timeout_seconds=timeout),
        params={"day": "mon"},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
    )


@pytest.mark.parametrize(
    "bad", [Reply(status=502), Reply(status=503), Reply(status=504), Reply(hang_up="at_once")]
)
def test_a_gateway_or_network_failure_is_retried_with_the_same_bytes(
    integration: Integration, backend: FakeBackend, bad: Reply
) -> None:
    backend.answer(ROUTE, bad, bad, GOOD)
    outcome = invoke(integration)
    assert (outcome.success, outcome.data, outcome.attempts) == (True, "booked", 3)
    calls = backend.calls(ROUTE)
    assert len(calls) == 3
    assert len({call.body for call in calls}) == 1
    assert all(call.signed for call in calls)
    assert IntegrationToolCall.objects.get().attempts == 3


def test_the_third_failure_is_the_last(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(status=503))
    outcome = invoke(integration)
    assert (outcome.success, outcome.attempts, outcome.error_detail) == (False, 3, "HTTP 503")
    assert outcome.error is not None
    assert "503" not in outcome.error
    assert len(backend.calls(ROUTE)) == 3


def test_waits_grow_by_three_hundred_milliseconds(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply(status=502))
    assert invoke(integration).duration_ms >= 900


@pytest.mark.parametrize("status", [400, 401, 408, 429, 500, 501])
def test_other_failures_are_not_retried(integration: Integration, backend: FakeBackend, status: int) -> None:
    backend.answer(ROUTE, Reply(status=status), GOOD)
    assert not invoke(integration).success
    assert len(backend.calls(ROUTE)) == 1


def test_a_timeout_is_never_retried(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply({"success": True}, delay=60), GOOD)
    outcome = invoke(integration, timeout=0.3)
    assert (outcome.success, outcome.attempts) == (False, 1)
    assert (
        outcome.error
        == "The community's system took too long. Whether the action was carried out is not known."
    )
    assert len(backend.calls(ROUTE)) == 1


def test_of_a_reading_tool_nothing_is_left_open(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply({"success": True}, delay=60))
    outcome = invoke_tool(
        integration.pk,
        replace(TOOL, timeout_seconds=0.3, read_only=True),
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
    )
    assert outcome.error == "The community's system took too long."


def test_a_closed_port_is_tried_three_times(integration: Integration) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        Integration.objects.update(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        outcome = invoke(integration)
    assert (outcome.success, outcome.attempts, outcome.outcome_unknown) == (False, 3, False)


@pytest.mark.parametrize(
    "bad",
    [
        Reply(status=500),
        Reply(status=504),
        Reply(b"booked!"),
        Reply({"success": True}, hang_up="at_once"),
        Reply({"success": True}, hang_up="half_way"),
        Reply(b"", headers={"content-type": "application/x-ndjson"}),
    ],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_call_that_may_have_arrived_leaves_the_outcome_open(
    integration: Integration, backend: FakeBackend, bad: Reply, read_only: bool
) -> None:
    backend.answer(ROUTE, bad)
    outcome = invoke_tool(
        integration.pk,
        replace(TOOL, read_only=read_only),
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
    )
    assert outcome.outcome_unknown is not read_only
    assert ("not known" in (outcome.error or "")) is not read_only
