"""A turn asked for by a program: its answer, its lines, its second time, and what is booked."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from apps.agent.models import ConversationLog
from apps.tenancy.context import tenant_context
from apps.tenancy.models import ApiRequestUsage, IdempotentRequest, Tenant
from tests.api.v1.conftest import Program
from tests.channels.conftest import fresh_turn_pool, site  # noqa: F401
from tests.channels.script import WAIT, Gate, searching
from tests.channels.web.chat_client import until
from tests.fakes.llm import Reply, says
from tests.plugins.community import Community

ANSWER = "Guests may come until ten (see Guests)."
ADA = {"principal": {"email": "ada@harbour.example"}}
ASKED = {**ADA, "message": "May I bring a guest?"}
FIELDS = {"response", "success", "tool_calls", "images", "usage", "trace_id", "thread_key"}


@pytest.fixture(autouse=True)
def _pool(fresh_turn_pool: None) -> Iterator[None]:  # noqa: F811
    yield


def booked(tenant: Tenant) -> list[ApiRequestUsage]:
    with tenant_context(tenant):
        return list(ApiRequestUsage.objects.order_by("created_at"))


def test_the_answer_has_everything_and_is_booked(community: Community, program: Program) -> None:
    community.llm.answer_with(searching(ANSWER))
    status, body = program.post("/agent/turns", {**ASKED, "thread_key": "guests"})
    assert status == 200
    assert body.keys() == FIELDS
    assert (body["response"], body["success"], body["images"]) == (ANSWER, True, [])
    assert [call["name"] for call in body["tool_calls"]] == ["search_knowledge_base", "search_members"]
    assert body["thread_key"] == "api:p-ada:guests"
    assert body["usage"]["llm_calls"] == 3
    (row,) = booked(community.tenant)
    assert (row.surface, row.success, row.trace_id) == ("rest_agent_turn", True, body["trace_id"])
    assert (row.llm_calls, row.total_tokens) == (3, body["usage"]["tokens"])
    assert row.prompt_tokens + row.completion_tokens <= row.total_tokens
    assert row.api_key_id is not None
    with tenant_context(community.tenant):
        assert {log.channel for log in ConversationLog.objects.all()} == {"api"}


def test_under_one_thread_key_the_agent_knows_what_was_said(community: Community, program: Program) -> None:
    community.llm.answer_with(lambda _request, _headers: says("Noted."))
    _, first = program.post("/agent/turns", {**ADA, "message": "My cat is Miso.", "thread_key": "cats"})
    program.post("/agent/turns", {**ADA, "message": "And now?", "thread_key": first["thread_key"]})
    program.post("/agent/turns", {**ADA, "message": "And elsewhere?"})
    seen = [json.dumps(request.body["messages"]) for request in community.llm.chats]
    assert ["Miso" in each for each in seen] == [True, True, False]


def test_a_turn_that_fails_is_an_honest_answer_and_booked_as_failed(
    community: Community, program: Program
) -> None:
    community.llm.answer_with(
        lambda _request, _headers: Reply(status=401, payload={"error": {"message": "no"}})
    )
    status, body = program.post("/agent/turns", ASKED)
    assert (status, body["success"]) == (200, False)
    assert body["response"]
    (row,) = booked(community.tenant)
    assert (row.success, row.trace_id) == (False, body["trace_id"])


def test_unknown_references_are_404_and_booked(community: Community, program: Program) -> None:
    status, body = program.post("/agent/turns", {"message": "Hi", "principal": {"ref": "p-nobody"}})
    assert (status, body["error"]["code"]) == (404, "not_found")
    assert [row.success for row in booked(community.tenant)] == [False]
    assert community.llm.chats == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {**ADA},
        {"message": "Hi"},
        {**ADA, "message": ""},
        {**ADA, "message": " \u200b\u2800\n"},
        {**ADA, "message": "a\u0000b"},
        {**ADA, "message": 5},
        {**ADA, "message": "x" * 32_001},
        {**ASKED, "thread_key": 5},
        {**ASKED, "thread_key": "x" * 501},
        {**ASKED, "history": []},
        {**ASKED, "principal": {"ref": "a", "slack_user_id": "U1X"}},
        b'{"message": "\\ud800", "principal": {"ref": "a"}}',
        b"\xff",
    ],
)
def test_what_does_not_fit_is_400(community: Community, program: Program, body: Any) -> None:
    status, answer = program.post("/agent/turns", body)
    assert (status, answer["error"]["code"]) == (400, "bad_input")
    assert booked(community.tenant) == []


def test_other_methods_types_and_keys(community: Community, program: Program) -> None:
    assert program.http.get("/api/v1/agent/turns").status_code == 405
    assert program.http.post("/api/v1/agent/turns", "x", content_type="text/plain").status_code == 415
    refused = program.http.post("/api/v1/agent/turns", headers={"Authorization": "Bearer rpk_live_0"})
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert program.post("/agent/turns", json.dumps({**ASKED, "thread_key": "x" * 600_000}))[0] == 413


def test_the_same_key_takes_one_turn(community: Community, program: Program) -> None:
    community.llm.answer_with(searching(ANSWER))
    key = {"Idempotency-Key": "turn-1"}
    first, again = (program.post("/agent/turns", ASKED, **key) for _ in range(2))
    assert first == again
    assert first[1]["response"] == ANSWER
    assert len(booked(community.tenant)) == 1
    assert program.post("/agent/turns", {**ASKED, "message": "Else?"}, **key)[0] == 409
    lines = program.http.post(
        "/api/v1/agent/turns",
        json.dumps(ASKED),
        content_type="application/json",
        headers={**key, "Accept": "application/x-ndjson"},
    )
    assert json.loads(lines.content) == {"type": "answer", **first[1]}
    assert lines.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("key", ["", "two words", "\u00e9", "k" * 201])
def test_unusable_keys_are_400(community: Community, program: Program, key: str) -> None:
    status, body = program.post("/agent/turns", ASKED, **{"Idempotency-Key": key})
    assert (status, body["error"]["code"]) == (400, "bad_input")
    assert community.llm.chats == []


def _lines(site: str, program: Program, **headers: str) -> Iterator[dict[str, Any]]:  # noqa: F811
    wanted = {"Authorization": f"Bearer {program.secret}", "Accept": "application/x-ndjson", **headers}
    with (
        httpx.Client(timeout=WAIT, headers=wanted) as http,
        http.stream("POST", f"{site}/api/v1/agent/turns", json=ASKED) as answer,
    ):
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        yield from (json.loads(line) for line in answer.iter_lines() if line.strip())


def test_lines_come_while_it_goes_and_end_with_the_same_body(
    community: Community,
    program: Program,
    site: str,  # noqa: F811
) -> None:
    community.llm.answer_with(searching(ANSWER))
    lines = list(_lines(site, program))
    assert [line["type"] for line in lines[:2]] == ["phase", "plan"]
    assert {line["type"] for line in lines} >= {"phase", "plan", "tool", "answer"}
    assert lines[-1].keys() == {"type"} | FIELDS
    assert (lines[-1]["type"], lines[-1]["response"]) == ("answer", ANSWER)


def test_leaving_before_a_tool_ran_frees_the_key_for_another_try(
    community: Community,
    program: Program,
    site: str,  # noqa: F811
) -> None:
    gate = Gate("plan", ANSWER)
    community.llm.answer_with(gate)
    lines = _lines(site, program, **{"Idempotency-Key": "k"})
    next(lines)
    assert gate.reached.wait(WAIT)
    lines.close()  # type: ignore[attr-defined]
    gate.open()

    def free() -> bool:
        with tenant_context(community.tenant):
            return not IdempotentRequest.objects.exists()

    until(free)
    community.llm.answer_with(searching(ANSWER))
    assert program.post("/agent/turns", ASKED, **{"Idempotency-Key": "k"})[1]["response"] == ANSWER


def test_leaving_a_waiting_request_after_a_tool_ran_keeps_the_answer(
    community: Community,
    program: Program,
    site: str,  # noqa: F811
) -> None:
    gate = Gate("enough", ANSWER)
    community.llm.answer_with(gate)
    raw = json.dumps(ASKED)
    place = urlsplit(site)
    with socket.create_connection(("127.0.0.1", place.port or 0)) as caller:
        head = ["POST /api/v1/agent/turns HTTP/1.1", f"Host: {place.netloc}", "Idempotency-Key: k"]
        head += [f"Authorization: Bearer {program.secret}", "Content-Type: application/json"]
        caller.sendall("\r\n".join([*head, f"Content-Length: {len(raw)}", "", raw]).encode())
        assert gate.reached.wait(WAIT)
    gate.open()
    until(lambda: len(booked(community.tenant)) == 1)

    def kept() -> bool:
        with tenant_context(community.tenant):
            return IdempotentRequest.objects.filter(status=200).exists()

    until(kept)
    status, body = program.post("/agent/turns", raw, **{"Idempotency-Key": "k"})
    assert (status, body["response"]) == (200, ANSWER)
    assert len(booked(community.tenant)) == 1
