"""The plain route: one question, one whole answer, and the conversation it belongs to."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.test import Client

from apps.channels.turn_pool import turn_pool
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel
from tests.channels.script import WAIT, searching
from tests.channels.web.chat_client import ChatClient
from tests.fakes.llm import says
from tests.plugins.community import Community

ANSWER = "Guests may come **until ten** (see Guests)."


def test_the_answer_comes_with_its_sources_and_its_cost(chat: ChatClient, community: Community) -> None:
    community.llm.answer_with(searching(ANSWER))
    body = chat.ask("May I bring a guest?", email="ada@harbour.example", thread_key="t1")
    assert body["response"] == ANSWER
    assert body["response_html"] == "<p>Guests may come <strong>until ten</strong> (see Guests).</p>\n"
    assert body["success"] is True
    assert [(call["name"], call["success"]) for call in body["tool_calls"]] == [
        ("search_knowledge_base", True),
        ("search_members", True),
    ]
    assert ("Guests", "page", "guests") in [(s["title"], s["kind"], s["ref"]) for s in body["sources"]]
    assert body["usage"]["llm_calls"] >= 3
    assert body["usage"]["tokens"] > 0
    assert body["trace_id"]
    assert body["thread_key"].endswith(":t1")


def test_who_is_asked_as_decides_what_may_be_used(chat: ChatClient, community: Community) -> None:
    community.llm.answer_with(searching(ANSWER))
    asked_as_nobody = chat.ask("May I bring a guest?")
    assert [call["name"] for call in asked_as_nobody["tool_calls"]] == ["search_knowledge_base"]


def test_the_returned_key_continues_the_conversation(chat: ChatClient, community: Community) -> None:
    community.llm.reply(says("Hello to you, and welcome."), says("You said hello just now."))
    first = chat.ask("hello there")
    second = chat.ask("what did I say?", thread_key=first["thread_key"])
    assert second["thread_key"] == first["thread_key"]
    said = [(m["direction"], m["text"]) for m in chat.conversation(thread_key=first["thread_key"])]
    assert said == [
        ("inbound", "hello there"),
        ("outbound", "Hello to you, and welcome."),
        ("inbound", "what did I say?"),
        ("outbound", "You said hello just now."),
    ]


def test_a_conversation_is_its_own_persons(chat: ChatClient, community: Community) -> None:
    community.llm.reply(says("Hello to you, and welcome."))
    chat.ask("hello there", email="ada@harbour.example", thread_key="t1")
    assert chat.conversation(thread_key="t1", email="mo@harbour.example") == []
    assert chat.conversation(thread_key="t1") == []
    assert chat.conversation(email="ada@harbour.example") == []
    assert len(chat.conversation(thread_key="t1", email="ada@harbour.example")) == 2


def test_a_conversation_is_its_own_communitys(
    chat: ChatClient, community: Community, other_tenant: Tenant, site: str
) -> None:
    with tenant_context(other_tenant):
        TenantChannel.objects.create(type="web", secrets={"access_token": "mill-token"})
    community.llm.reply(says("Hello to you, and welcome."))
    key = chat.ask("hello there")["thread_key"]
    assert ChatClient(site, "mill-token", slug="mill").conversation(thread_key=key) == []


def test_hostile_markdown_is_shown_as_text(chat: ChatClient, community: Community) -> None:
    hostile = "See <script>alert(1)</script> [here](javascript:alert(1)) ![x](http://evil.example/p.png)"
    community.llm.reply(says(hostile))
    body = chat.ask("hello", thread_key="t1")
    logged = chat.conversation(thread_key="t1")[-1]
    for html in (body["response_html"], logged["html"]):
        assert "<script" not in html
        assert 'href="javascript' not in html
        assert "<img" not in html


@pytest.mark.parametrize("odd", ["a\x00b", "a\ud800b", "\u202eabc", "😀" * 10, "{{userName}}"])
def test_odd_characters_are_taken(chat: ChatClient, community: Community, odd: str) -> None:
    community.llm.reply(says("Hello to you, and welcome."))
    # httpx would refuse a lone surrogate; JSON can carry one in an escape.
    assert chat.ask(odd.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))["success"] is True


def test_an_escaped_surrogate_is_replaced(
    client: Client, community: Community, web_channel: TenantChannel, token: str
) -> None:
    community.llm.reply(says("Hello to you, and welcome."))
    answer = client.post(
        f"/web/harbour/messages?token={token}",
        '{"message": "a\\ud800\\u0000b", "thread_key": "t1\\udfff"}',
        content_type="application/json",
    )
    assert answer.status_code == 200
    assert "a\ufffdb" in community.llm.requests[-1].text


def test_a_full_house_says_so(
    client: Client, web_channel: TenantChannel, token: str, settings: Any, fresh_turn_pool: None
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_turn_workers": 1})
    release = threading.Event()
    held = [turn_pool().submit(lambda: release.wait(WAIT)) for _ in range(3)]
    for path in ("messages", "messages/stream"):
        answer = client.post(
            f"/web/harbour/{path}?token={token}", {"message": "hi"}, content_type="application/json"
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    release.set()
    assert all(future.result(WAIT) for future in held)
