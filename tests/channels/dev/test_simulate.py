"""The development harness runs Slack-style turns, and is absent in production."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from apps.agent.models import ConversationLog
from apps.channels.urls import channel_urls
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.channels.script import searching
from tests.fakes.backend import Reply as BackendReply
from tests.fakes.llm import says
from tests.plugins.community import Community

BODY = {"tenant": "harbour", "message": "May I bring a guest?", "slack_user_id": "U0ADA", "user_name": "Ada"}


def _simulate(body: Any, *, content_type: str = "application/json") -> Any:
    return Client().post("/dev/simulate-message", body, content_type=content_type)


def test_it_answers_with_exactly_these_fields(community: Community) -> None:
    community.llm.answer_with(searching("Guests may come until ten (see Guests)."))
    body = _simulate(BODY).json()
    assert body.keys() == {"response", "success", "tool_calls", "images", "trace_id", "thread_key", "usage"}
    assert body["images"] == []
    assert body["usage"].keys() == {"llm_calls", "tokens", "cost_usd"}
    assert all(call.keys() == {"name", "args", "success", "duration_ms"} for call in body["tool_calls"])


def test_a_picture_of_a_tool_comes_with_the_answer(community: Community) -> None:
    dot = b64encode(b"\x89PNG\r\n\x1a\n rest").decode()
    pictures = [
        {"name": "chart", "base64": dot, "contentType": "image/png"},
        {"name": "liar", "base64": dot, "contentType": "image/gif"},
    ]
    community.backend.answer(
        "POST /integration/tools/search_members",
        BackendReply({"success": True, "data": {"members": []}, "images": pictures}),
    )
    community.llm.answer_with(searching("Guests may come until ten (see Guests)."))
    assert _simulate(BODY).json()["images"] == [{"name": "chart", "content_type": "image/png", "base64": dot}]


@pytest.mark.parametrize(
    ("place", "channel", "thread"),
    [
        ({}, "D0ADA", ""),
        ({"channel_id": "C0HALL"}, "C0HALL", ""),
        ({"channel_id": "C0HALL", "thread_ts": "1790000000.000100"}, "C0HALL", "1790000000.000100"),
    ],
)
def test_the_turn_happens_where_it_was_said(
    community: Community, place: dict[str, str], channel: str, thread: str
) -> None:
    community.llm.reply(says("Hello to you, and welcome."))
    assert _simulate(BODY | place).status_code == 200
    with tenant_context(community.tenant):
        row = ConversationLog.objects.filter(direction="inbound").get()
    assert (row.channel, row.slack_user_id, row.slack_channel_id, row.slack_thread_ts) == (
        "slack",
        "U0ADA",
        channel,
        thread,
    )


@pytest.mark.parametrize(
    "change",
    [
        {"tenant": None},
        {"tenant": ""},
        {"message": ""},
        {"message": "x" * 32_001},
        {"message": ["hi"]},
        {"slack_user_id": None},
        {"slack_user_id": ""},
        {"slack_user_id": "u0ada"},
        {"user_name": 7},
        {"channel_id": "general"},
        {"thread_ts": "yesterday"},
    ],
)
def test_a_body_it_cannot_use_is_refused(tenant: Tenant, change: dict[str, Any]) -> None:
    answer = _simulate(BODY | change)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")


@pytest.mark.parametrize("slug", ["nowhere", "Harbour", "../harbour", "harbour--dev"])
def test_an_unknown_community_is_not_found(tenant: Tenant, slug: str) -> None:
    answer = _simulate(BODY | {"tenant": slug})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_an_inactive_community_takes_no_turns(community: Community) -> None:
    Tenant.objects.filter(pk=community.tenant.pk).update(status="suspended")
    from apps.foundation import ttl_cache

    ttl_cache.clear_all()
    assert _simulate(BODY).status_code == 403


def test_a_form_of_another_site_cannot_use_it(tenant: Tenant) -> None:
    assert _simulate("{}", content_type="text/plain").status_code == 415
    assert Client().get("/dev/simulate-message").status_code == 405


def test_production_does_not_know_the_address() -> None:
    def names(*, production: bool) -> set[str | None]:
        return {pattern.name for pattern in channel_urls(production=production)}

    assert names(production=False) - names(production=True) == {"dev-simulate-message"}
    assert resolve("/dev/simulate-message").url_name == "dev-simulate-message"
