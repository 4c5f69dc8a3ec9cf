"""A backend that breaks the rules: for each way, what came of it, how often it was asked, and the audit row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest

from apps.integrations.models import Integration
from apps.integrations.rootint import stream as streaming
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.results import (
    DECLINED,
    REFUSED,
    TOO_LATE,
    UNREACHABLE,
    UNREADABLE,
    ToolOutcome,
)
from apps.tenancy.models import IntegrationToolCall, Tenant
from tests.fakes.hostile_backend import (
    NDJSON,
    Behaviour,
    HostileBackend,
    endless,
    garbage,
    gzip_bomb,
    header_flood,
    lines,
    reply,
    reset_after,
    reset_before,
    result_then_silence,
    silent,
    slow,
    slow_headers,
    stream,
    trickle,
)

TOOL = ManifestTool(name="book", description="Books.", parameters={"type": "object"}, timeout_seconds=20)
GOOD = reply({"success": True, "data": "booked"})
RESULT = {"type": "result", "success": True, "data": "booked"}
SAYS = {"type": "progress", "message": "läuft 😊"}
OWN_SECRET = "hostile-secret"


@pytest.fixture
def hostile(in_tenant: Tenant) -> Iterator[HostileBackend]:
    with HostileBackend(secret=OWN_SECRET) as running:
        Integration.objects.create(name="hostile", base_url=running.url, signing_secret=running.secret)
        yield running


def invoke(*, timeout: float = 20, read_only: bool = False, progress: list[str] | None = None) -> ToolOutcome:
    return invoke_tool(
        Integration.objects.get().pk,
        replace(TOOL, timeout_seconds=timeout, read_only=read_only),
        params={},
        invocation=Invocation(principal=InvocationPrincipal(ref="m", tier="member"), channel="web"),
        on_progress=(progress if progress is not None else []).append,
    )


def flowing(*values: Any) -> Behaviour:
    return stream(*lines(*values))


FINAL: list[Any] = [
    pytest.param(endless(b" " * 65_536), UNREADABLE, "too_large", id="endless body"),
    pytest.param(endless(b" " * 65_536, content_type=NDJSON), UNREADABLE, "too_large", id="endless line"),
    pytest.param(reply(b" " * (17 * 1024 * 1024)), UNREADABLE, "too_large", id="huge body"),
    pytest.param(gzip_bomb(), UNREADABLE, "too_large", id="gzip bomb"),
    pytest.param(reply(b"x", content_encoding="br"), UNREADABLE, "bad_response", id="foreign compression"),
    pytest.param(reply(b"nonsense", content_encoding="gzip"), UNREADABLE, "bad_response", id="false gzip"),
    pytest.param(header_flood, UNREADABLE, "bad_response", id="header flood"),
    pytest.param(garbage, UNREADABLE, "bad_response", id="no HTTP"),
    pytest.param(reset_after, UNREADABLE, "bad_response", id="reset in the body"),
    pytest.param(
        reply(b"<html>Log in</html>", content_type="text/html"), UNREADABLE, "bad_response", id="a page"
    ),
    pytest.param(reply(b""), UNREADABLE, "bad_response", id="nothing"),
    pytest.param(reply({"success": "yes", "data": 1}), UNREADABLE, "bad_response", id="success as text"),
    pytest.param(reply({"success": None}), UNREADABLE, "bad_response", id="success as null"),
    pytest.param(reply({"success": 1}), UNREADABLE, "bad_response", id="success as number"),
    pytest.param(reply([{"success": True}]), UNREADABLE, "bad_response", id="a list"),
    pytest.param(reply("success"), UNREADABLE, "bad_response", id="a text"),
    pytest.param(flowing(), UNREADABLE, "bad_response", id="stream of nothing"),
    pytest.param(flowing(SAYS, SAYS), UNREADABLE, "bad_response", id="stream without a result"),
    pytest.param(
        stream(b'{"type": "result", "succ'), UNREADABLE, "bad_response", id="stream cut in its result"
    ),
    pytest.param(flowing({**RESULT, "success": "yes"}), UNREADABLE, "bad_response", id="stream, wrong type"),
    pytest.param(reply({}, status=500), UNREACHABLE, "HTTP 500", id="500"),
    pytest.param(reply({}, status=501), UNREACHABLE, "HTTP 501", id="501"),
]


@pytest.mark.parametrize(("behaviour", "sentence", "kind"), FINAL)
def test_asked_once_and_what_came_of_it_is_unknown(
    hostile: HostileBackend, behaviour: Behaviour, sentence: str, kind: str
) -> None:
    hostile.behave(behaviour, GOOD)
    outcome = invoke()
    assert (outcome.success, outcome.attempts, hostile.attempts) == (False, 1, 1)
    assert outcome.outcome_unknown
    assert outcome.error is not None and outcome.error.startswith(sentence)
    assert outcome.error_detail is not None and outcome.error_detail.startswith(kind)
    _audited(outcome, hostile)


DECIDED: list[Any] = [
    pytest.param(
        reply({}, status=302, location="http://10.0.0.1/x"), REFUSED, id="redirect into a private net"
    ),
    pytest.param(reply({}, status=307, location="/integration/tools/book"), REFUSED, id="redirect in a loop"),
    pytest.param(reply({}, status=401), REFUSED, id="401"),
    pytest.param(reply(b"x" * 3_000_000, status=404), REFUSED, id="huge refusal"),
    pytest.param(reply({}, status=429), REFUSED, id="429"),
    pytest.param(reply({"success": False}), DECLINED, id="no reason"),
    pytest.param(reply({"success": False, "error": ["x"]}), DECLINED, id="reason as list"),
    pytest.param(
        reply({"success": False, "error": {"a": 1}, "images": "x"}), DECLINED, id="wrong types beside it"
    ),
]


@pytest.mark.parametrize(("behaviour", "sentence"), DECIDED)
def test_asked_once_and_it_was_not_done(hostile: HostileBackend, behaviour: Behaviour, sentence: str) -> None:
    hostile.behave(behaviour, GOOD)
    outcome = invoke()
    assert (outcome.success, outcome.attempts, hostile.attempts) == (False, 1, 1)
    assert (outcome.error, outcome.outcome_unknown) == (sentence, False)
    _audited(outcome, hostile)


LATE: list[Any] = [
    pytest.param(silent, id="silence"),
    pytest.param(slow({"success": True}), id="slow bytes"),
    pytest.param(slow_headers, id="slow headers"),
    pytest.param(trickle, id="stream that trickles"),
]


@pytest.mark.parametrize("behaviour", LATE)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_timeout_bounds_everything_and_is_never_retried(
    hostile: HostileBackend, behaviour: Behaviour, read_only: bool
) -> None:
    hostile.behave(behaviour, GOOD)
    outcome = invoke(timeout=0.4, read_only=read_only)
    assert (outcome.success, outcome.attempts, hostile.attempts) == (False, 1, 1)
    assert outcome.error is not None and outcome.error.startswith(TOO_LATE)
    assert outcome.outcome_unknown is not read_only
    _audited(outcome, hostile)


AGAIN: list[Any] = [
    pytest.param(reply({}, status=502), id="502"),
    pytest.param(reply({}, status=503), id="503"),
    pytest.param(reply({}, status=504), id="504"),
    pytest.param(reset_before, id="reset before the headers"),
    pytest.param(lambda wire: None, id="closed before the headers"),
    pytest.param(endless(b"busy ", status=503), id="503 with an endless body"),
]


@pytest.mark.parametrize("bad", AGAIN)
def test_a_gateway_or_network_failure_is_tried_again(hostile: HostileBackend, bad: Behaviour) -> None:
    hostile.behave(bad, bad, GOOD)
    outcome = invoke()
    assert (outcome.success, outcome.data, outcome.attempts, hostile.attempts) == (True, "booked", 3, 3)
    assert len({seen.body for seen in hostile.asked}) == 1
    _audited(outcome, hostile)


@pytest.mark.parametrize("bad", AGAIN)
def test_three_times_at_most(hostile: HostileBackend, bad: Behaviour) -> None:
    hostile.behave(bad)
    outcome = invoke()
    assert (outcome.success, outcome.attempts, hostile.attempts) == (False, 3, 3)
    assert outcome.error is not None and outcome.error.startswith(UNREACHABLE)
    assert outcome.outcome_unknown
    _audited(outcome, hostile)


def test_what_follows_a_retry_is_judged_by_itself(hostile: HostileBackend) -> None:
    hostile.behave(reply({}, status=502), silent, GOOD)
    outcome = invoke(timeout=0.4)
    assert (outcome.success, outcome.attempts, hostile.attempts) == (False, 2, 2)
    assert outcome.error is not None and outcome.error.startswith(TOO_LATE)


def test_of_two_results_the_first_counts_and_the_rest_is_not_waited_for(hostile: HostileBackend) -> None:
    hostile.behave(result_then_silence(b"".join(lines(RESULT, {**RESULT, "data": "twice"}))))
    outcome = invoke()
    assert (outcome.success, outcome.data, hostile.attempts) == (True, "booked", 1)


def test_characters_cut_over_packets_heal(hostile: HostileBackend) -> None:
    whole = b"print('debug')\n" + b"".join(lines(SAYS, RESULT))
    hostile.behave(stream(*(whole[at : at + 1] for at in range(len(whole))), every=0.0005))
    progress: list[str] = []
    assert invoke(progress=progress).data == "booked"
    assert progress == ["läuft 😊"]


def test_a_flood_of_progress_is_not_passed_on_without_end(hostile: HostileBackend) -> None:
    many = b"".join(lines(SAYS)) * 5_000
    hostile.behave(stream(many, *lines(RESULT)))
    progress: list[str] = []
    assert invoke(progress=progress).success
    assert len(progress) == streaming.MAX_PROGRESS_LINES


@pytest.mark.parametrize("where", ["error", "error_detail", "data", "progress", "refusal"])
def test_its_own_secret_is_taken_out_of_everything_it_says(
    hostile: HostileBackend, where: Literal["error", "error_detail", "data", "progress", "refusal"]
) -> None:
    told = f"key={OWN_SECRET}!"
    behaviour = {
        "error": reply({"success": False, "error": told}),
        "error_detail": reply({"success": False, "error": "no", "error_detail": told}),
        "data": reply({"success": True, "data": {told: [told, 1]}}),
        "progress": flowing({"type": "progress", "message": told}, RESULT),
        "refusal": reply({"success": False, "error": told}, status=400),
    }[where]
    hostile.behave(behaviour)
    progress: list[str] = []
    outcome = invoke(progress=progress)
    everything = f"{outcome!r} {outcome.data!r} {progress} {IntegrationToolCall.objects.get().error}"
    assert OWN_SECRET not in everything
    assert "key=[secret]!" in everything


def _audited(outcome: ToolOutcome, hostile: HostileBackend) -> None:
    """One row for the invocation, whatever the number of attempts; it says what the outcome says."""
    row = IntegrationToolCall.objects.get()
    assert (row.integration_name, row.tool_name) == ("hostile", "book")
    assert (row.success, row.attempts) == (outcome.success, hostile.attempts)
    assert row.error.startswith(outcome.error or "")
    assert (
        f"[{outcome.error_detail}]" in row.error
        if outcome.error_detail
        else row.error == (outcome.error or "")
    )
