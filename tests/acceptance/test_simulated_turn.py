"""Acceptance 2: a whole Slack-style turn over HTTP, every part real but the model's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from apps.agent.models import ConversationLog
from apps.tenancy.context import tenant_context
from apps.tenancy.models import IntegrationToolCall, LlmTokenUsage
from tests.fakes.llm import calls, says
from tests.fakes.site import Site
from tests.plugins.community import Community

ANSWER = "Guests may come until ten (see Guests). Ines Prado knows about pricing."


@pytest.fixture
def site(community: Community) -> Iterator[Site]:
    with Site() as running:
        yield running


def simulate(site: Site, body: dict[str, Any]) -> httpx.Response:
    return httpx.post(f"{site.base_url}/dev/simulate-message", json=body, timeout=60)


@pytest.fixture
def turn(site: Site, community: Community) -> dict[str, Any]:
    community.llm.reply(
        calls(
            ("search_knowledge_base", {"query": "guests in the evening"}),
            ("search_members", {"query": "pricing"}),
            text="Looking at the house rules and the directory.",
        ),
        says("I have what I need for an answer now.", cost=0.001),
        says(ANSWER, cost=0.002),
    )
    reply = simulate(
        site,
        {
            "tenant": "harbour",
            "message": "Guests? And who knows pricing?",
            "slack_user_id": "U0ADA",
            "user_name": "Ada",
        },
    )
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    return body


def test_the_answer_cites_what_the_tools_returned(turn: dict[str, Any], community: Community) -> None:
    assert turn["response"] == ANSWER and turn["success"] is True
    assert [(call["name"], call["success"]) for call in turn["tool_calls"]] == [
        ("search_knowledge_base", True),
        ("search_members", True),
    ]
    last = community.llm.chats[-1]
    assert "until ten in the evening" in last.text and "Ines Prado" in last.text
    assert last.tool_names == []


def test_the_backend_saw_one_signed_identity_and_one_signed_call(
    turn: dict[str, Any], community: Community
) -> None:
    identities = community.backend.calls("POST /integration/identity/resolve")
    invocations = community.backend.calls("POST /integration/tools/search_members")
    assert [request.signed for request in identities + invocations] == [True, True]
    sent = invocations[0].json
    assert sent["tenant_id"] == str(community.tenant.pk)
    assert sent["principal"]["ref"] == "p-ada" and sent["principal"]["tier"] == "member"
    assert (sent["channel"], sent["slack_channel_id"]) == ("slack", "D0ADA")
    assert sent["params"] == {"query": "pricing"}
    assert sent["current_user_message"] == "Guests? And who knows pricing?"


def test_trace_usage_and_audit_rows_are_written(turn: dict[str, Any], community: Community) -> None:
    with tenant_context(community.tenant):
        audit = IntegrationToolCall.objects.get()
        assert (audit.tool_name, audit.success, audit.trace_id) == ("search_members", True, turn["trace_id"])
        usage = LlmTokenUsage.objects.filter(trace_id=turn["trace_id"])
        chats = usage.filter(purpose__startswith="agent.")
        assert chats.count() == len(community.llm.chats) == 3
        assert turn["usage"]["llm_calls"] == chats.count()
        assert turn["usage"]["tokens"] == sum(usage.values_list("total_tokens", flat=True))
        assert turn["usage"]["cost_usd"] == pytest.approx(
            float(sum(usage.values_list("cost_usd", flat=True)))
        )
        rows = ConversationLog.objects.order_by("message_at")
        assert [(row.direction, row.channel, row.dedupe_key[-3:]) for row in rows] == [
            ("inbound", "slack", ":in"),
            ("outbound", "slack", "out"),
        ]
        assert {row.exchange_key for row in rows} == {rows[0].exchange_key}
        assert rows[1].metadata["trace_id"] == turn["trace_id"]


def test_every_model_call_names_its_purpose(turn: dict[str, Any], community: Community) -> None:
    assert [request.purpose for request in community.llm.chats] == [
        "agent.planning",
        "agent.planning",
        "agent.answer",
    ]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"tenant": "nowhere"}, 404),
        ({"tenant": "nowhere\x00"}, 404),
        ({"message": ""}, 400),
        ({"message": 7}, 400),
        ({"slack_user_id": None}, 400),
        ({"slack_user_id": "<@U1>"}, 400),
        ({"channel_id": ["C1"]}, 400),
    ],
)
def test_bad_input_is_refused_in_the_error_shape(
    site: Site, community: Community, change: dict[str, Any], status: int
) -> None:
    body = {"tenant": "harbour", "message": "hi", "slack_user_id": "U0ADA", "user_name": "Ada"} | change
    reply = simulate(site, body)
    assert reply.status_code == status
    assert set(reply.json()["error"]) >= {"code", "message"}
    assert community.llm.chats == []


def test_a_thread_carries_its_history(site: Site, community: Community) -> None:
    body = {
        "tenant": "harbour",
        "slack_user_id": "U0ADA",
        "user_name": "Ada",
        "channel_id": "C0HALL",
        "thread_ts": "1.2",
    }
    community.llm.reply(says("Hello Ada, good to see you."), says("You said hello just before."))
    first = simulate(site, body | {"message": "hello there"}).json()
    second = simulate(site, body | {"message": "what did I say?"}).json()
    assert first["thread_key"] == second["thread_key"]
    said = [
        m["content"] for m in community.llm.chats[-1].body["messages"] if m["role"] in {"user", "assistant"}
    ]
    assert said[:2] == ["hello there", "Hello Ada, good to see you."]
