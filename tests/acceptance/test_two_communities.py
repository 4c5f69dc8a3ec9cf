"""Two communities that share every name and id never meet: not in turns at once, not in caches, not in threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from apps.agent.models import ConversationLog
from apps.agent.turns import Caller, TurnOutcome, TurnRequest, run_turn
from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import IntegrationToolCall, LlmTokenUsage, Principal, Tenant
from tests.fakes.backend import FakeBackend, Reply
from tests.fakes.llm import Reply as ModelReply
from tests.fakes.llm import calls, says
from tests.plugins.community import settle, teach

TURNS = 20
SECRETS = {"harbour": "HARBOUR-42", "mill": "MILL-77"}


@pytest.fixture
def pair(committed_db: None, tenant: Tenant, other_tenant: Tenant, llm: Any) -> Iterator[dict[str, Any]]:
    with FakeBackend() as first, FakeBackend() as second:
        backends = {"harbour": first, "mill": second}
        for row in (tenant, other_tenant):
            backend = backends[row.slug]
            teach(backend)
            backend.answer(
                "POST /integration/tools/search_members",
                Reply({"success": True, "data": {"members": [{"name": f"Keeper of {SECRETS[row.slug]}"}]}}),
            )
            settle(row, backend, page=f"The door code is {SECRETS[row.slug]}.")
        llm.answer_with(by_the_transcript)
        yield {"tenants": {"harbour": tenant, "mill": other_tenant}, "backends": backends, "llm": llm}


def by_the_transcript(request: dict[str, Any], _headers: Any) -> ModelReply:
    """Plans a batch, then repeats everything the tools returned: whatever leaked would be said."""
    results = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    if request.get("tools") and not results:
        asked = {"query": "door code"}
        return calls(
            ("search_knowledge_base", asked), ("search_members", asked), ("search_knowledge_base", asked)
        )
    return says("The tools returned: " + " ".join(results))


def ask(tenant: Tenant) -> TurnOutcome:
    try:
        with tenant_context(tenant):
            return run_turn(
                TurnRequest(
                    message=f"door code of {tenant.slug}?",
                    channel="web",
                    caller=Caller(email="ada@harbour.example"),
                    thread_key="same-thread",
                )
            )
    finally:
        connections.close_all()


def test_turns_at_once_hold_only_their_own(pair: dict[str, Any]) -> None:
    order = [pair["tenants"][("harbour", "mill")[n % 2]] for n in range(TURNS)]
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(ask, order))
    for tenant, outcome in zip(order, outcomes, strict=True):
        own, foreign = SECRETS[tenant.slug], next(s for t, s in SECRETS.items() if t != tenant.slug)
        assert own in outcome.response and f"Keeper of {own}" in outcome.response
        assert foreign not in outcome.response


def test_every_row_lies_with_its_own_tenant(pair: dict[str, Any]) -> None:
    outcomes = {slug: ask(tenant) for slug, tenant in pair["tenants"].items()}
    for slug, tenant in pair["tenants"].items():
        with tenant_context(tenant):
            assert [row.ref for row in Principal.objects.all()] == ["p-ada"]
            assert {row.trace_id for row in IntegrationToolCall.objects.all()} == {outcomes[slug].trace_id}
            assert set(LlmTokenUsage.objects.exclude(trace_id="").values_list("trace_id", flat=True)) == {
                outcomes[slug].trace_id
            }
            texts = " ".join(ConversationLog.objects.values_list("message_text", flat=True))
            assert SECRETS[slug] in texts
            assert not any(other in texts for name, other in SECRETS.items() if name != slug)
            assert Integration.objects.get().base_url == pair["backends"][slug].url


def test_each_backend_hears_only_of_its_own(pair: dict[str, Any]) -> None:
    for tenant in pair["tenants"].values():
        ask(tenant)
    for slug, backend in pair["backends"].items():
        told = [request.json for request in backend.calls("POST /integration/tools/search_members")]
        assert [body["tenant_id"] for body in told] == [str(pair["tenants"][slug].pk)]


def test_a_shared_thread_key_is_two_threads(pair: dict[str, Any]) -> None:
    ask(pair["tenants"]["harbour"])
    pair["llm"].reset()
    pair["llm"].answer_with(by_the_transcript)
    ask(pair["tenants"]["mill"])
    first = pair["llm"].chats[0]
    said = [m["role"] for m in first.body["messages"] if m["role"] != "system"]
    assert "HARBOUR" not in first.text and said == ["user"]
