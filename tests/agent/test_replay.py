"""A replay answers and leaves nothing behind but what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.apps import apps

from apps.agent import hooks
from apps.agent.hooks import ONLY_A_REPLAY
from apps.agent.kernel.types import ExecutedCall
from apps.agent.models import AgentRun, AgentToolCall, ConversationLog, HumanIntervention, RunProduct
from apps.agent.turns import Caller, TurnOutcome
from apps.tenancy.context import tenant_context
from apps.tenancy.scoping import TenantModel
from tests.agent.asking import ask
from tests.fakes.llm import calls, fails, says
from tests.plugins.community import Community

TABLES = [AgentRun, AgentToolCall, ConversationLog, HumanIntervention, RunProduct]
# What a turn costs, and what its calls to backends did, is metered whatever it was for.
METERED = {"LlmTokenUsage", "IntegrationToolCall"}


@pytest.fixture
def batches() -> list[list[str]]:
    return []


def acting(community: Community, batches: list[list[str]], *, replay: bool) -> TurnOutcome:
    def look(executed: Sequence[ExecutedCall]) -> None:
        batches.append([call.name for call in executed])

    community.llm.reply(
        calls(
            ("search_knowledge_base", {"query": "guests"}),
            ("book_room", {"room": "Loft"}),
            ("escalate_to_admin", {"escalation_reason": "x", "user_request_summary": "y"}),
        ),
        says("That is all there is to be done here."),
        says("This is what the answer would have been."),
    )
    hooks.AFTER_BATCH.append(look)
    try:
        return ask(community, replay=replay)
    finally:
        hooks.AFTER_BATCH.remove(look)


def test_nothing_is_done_written_or_started(community: Community, batches: list[list[str]]) -> None:
    outcome = acting(community, batches, replay=True)
    assert [call.success for call in outcome.tool_calls] == [True, False, False]
    assert community.backend.calls("POST /integration/tools/book_room") == [] and batches == []
    assert ONLY_A_REPLAY in community.llm.chats[-1].text
    with tenant_context(community.tenant):
        assert [model.__name__ for model in TABLES if model.objects.exists()] == []


def rows(community: Community) -> dict[str, list[Any]]:
    with tenant_context(community.tenant):
        return {
            model.__name__: sorted(model.objects.values_list(), key=repr)
            for model in apps.get_models()
            if issubclass(model, TenantModel) and model.__name__ not in METERED
        }


def test_no_row_of_any_table_comes_or_changes(community: Community, batches: list[list[str]]) -> None:
    community.llm.answer_with(lambda _request, _headers: says("Good day to you, how can I help?"))
    before = rows(community)
    outcome = ask(community, replay=True, caller=Caller(email="ada@harbour.example"))
    assert outcome.success and rows(community) == before and before["Principal"] == []
    ask(community, caller=Caller(email="ada@harbour.example"))
    known = rows(community)
    assert len(known["Principal"]) == 1
    for caller in (
        Caller(email="ada@harbour.example", display_name="Somebody Else"),
        Caller(slack_user_id="U0ADA"),
        Caller(ref="p-ada"),
        Caller(email="lin@elsewhere.example"),
    ):
        ask(community, replay=True, caller=caller)
    assert rows(community) == known


def test_a_replay_meets_the_person_a_turn_would_meet(community: Community) -> None:
    community.llm.answer_with(lambda _request, _headers: says("Good day to you, how can I help?"))
    for replay in (True, False):
        ask(community, replay=replay, caller=Caller(email="ada@harbour.example"))
    rehearsed, real = (chat.body["messages"][0]["content"] for chat in community.llm.chats[-2:])
    assert "Ada (member)" in rehearsed
    assert "Ada (member)" in real


def test_the_same_turn_for_real_does_all_of_it(community: Community, batches: list[list[str]]) -> None:
    acting(community, batches, replay=False)
    assert len(community.backend.calls("POST /integration/tools/book_room")) == 1
    assert batches == [["search_knowledge_base", "book_room", "escalate_to_admin"]]
    with tenant_context(community.tenant):
        assert [model.__name__ for model in TABLES if not model.objects.exists()] == []


def test_a_replay_that_fails_tells_nobody(community: Community) -> None:
    community.llm.reply(fails(401))
    assert ask(community, replay=True).success is False
    with tenant_context(community.tenant):
        assert not HumanIntervention.objects.exists()
