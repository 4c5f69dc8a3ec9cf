"""What a turn leaves behind: one run, its calls, what it made; by reference, and never at the turn's cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from apps.agent.models import AgentRun, AgentToolCall, ConversationLog, RunProduct
from apps.agent.turns import TurnOutcome
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, fails, says
from tests.plugins.community import Community


def searched(community: Community) -> TurnOutcome:
    community.llm.reply(
        calls(("search_knowledge_base", {"query": "guests"}), ("no_such_tool", {"password": "hunter2"})),
        says("That is all there is to look up here."),
        says("Guests may come until ten in the evening."),
    )
    return ask(community, "guests?")


def test_the_run_names_its_rounds_layers_usage_and_end(community: Community) -> None:
    outcome = searched(community)
    with tenant_context(community.tenant):
        run = AgentRun.objects.get()
    assert run.run_id.hex == outcome.trace_id and run.failure == ""
    assert (run.channel, run.member_id, run.tier, run.thread_key) == ("web", "p-ada", "member", "web:p-ada")
    assert [(a["round"], a["purpose"], a["finish"]) for a in run.rounds] == [
        (1, "agent.planning", "tool_calls"),
        (2, "agent.planning", "stop"),
        (3, "agent.answer", "stop"),
    ]
    assert run.usage["llm_calls"] == 3
    sent = [m["content"] for m in community.llm.chats[0].body["messages"] if m["role"] == "system"]
    layers = {layer["name"]: layer for layer in run.prompt_layers}
    assert layers["tool_fence"]["size"] == len(sent[1])
    assert all(layer["origin"] and layer["size"] > 0 for layer in run.prompt_layers)


def test_calls_are_kept_by_reference_without_secrets(community: Community) -> None:
    searched(community)
    with tenant_context(community.tenant):
        found, unknown = AgentToolCall.objects.order_by("position")
    assert (found.name, found.success, found.state, found.result) == (
        "search_knowledge_base",
        True,
        "recorded",
        None,
    )
    assert found.flight["status"] == "found" and found.flight["refs"][0]["slug"] == "guests"
    assert (unknown.outcome, unknown.success) == ("unknown_tool", False)
    assert "hunter2" not in str(unknown.arguments)


def test_the_flight_record_is_not_for_the_model(community: Community) -> None:
    searched(community)
    assert "flight" not in community.llm.chats[-1].text and "ranking" not in community.llm.chats[-1].text


def test_the_answer_is_a_product_by_its_row_in_the_log(community: Community) -> None:
    searched(community)
    with tenant_context(community.tenant):
        assert (
            RunProduct.objects.get(kind="answer").ref
            == ConversationLog.objects.get(direction="outbound").dedupe_key
        )


def test_a_dead_model_is_on_record(community: Community) -> None:
    community.llm.reply(fails(402))
    ask(community)
    with tenant_context(community.tenant):
        run = AgentRun.objects.get()
    assert (run.success, run.failure) == (False, "llm_failed")
    assert [attempt["error"] for attempt in run.rounds] == ["payment_required"]


@contextmanager
def without_table(name: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {name} RENAME TO {name}_away")
    connection.close()
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {name}_away RENAME TO {name}")


@pytest.mark.parametrize("table", ["agent_runs", "agent_tool_calls", "run_products"])
def test_a_record_that_cannot_be_written_costs_no_answer(community: Community, table: str) -> None:
    with without_table(table):
        outcome = searched(community)
    assert outcome.response == "Guests may come until ten in the evening."
    with tenant_context(community.tenant):
        assert ConversationLog.objects.filter(direction="outbound", status="recorded").count() == 1
        assert AgentRun.objects.count() == 0


def test_another_community_sees_nothing_of_it(community: Community, other_tenant: object) -> None:
    searched(community)
    with tenant_context(other_tenant):  # type: ignore[arg-type]
        assert not AgentRun.objects.exists() and not AgentToolCall.objects.exists()
