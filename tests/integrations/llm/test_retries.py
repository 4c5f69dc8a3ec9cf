"""Questions outside the loop are asked three times at most, and not again when that cannot help."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.kernel.constants import LLM_CALL_RETRY_DELAYS_MS
from apps.foundation.database import TransactionHeld
from apps.integrations.llm.asking import RETRY_DELAYS_MS, AskOptions
from apps.integrations.llm.failures import LlmFailure
from apps.integrations.llm.text import chat_text
from apps.tenancy.models import LlmTokenUsage, Tenant
from tests.fakes.llm import Reply, ScriptedLlm, drops, fails, hidden_error, html, no_choices, says

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Sum this up."}]
AT_ONCE: AskOptions = {"retry_delays_ms": (0, 1)}


def test_the_table_is_the_one_of_the_agent_loop() -> None:
    assert RETRY_DELAYS_MS == LLM_CALL_RETRY_DELAYS_MS


@pytest.mark.parametrize(
    "bad",
    [
        fails(400),
        fails(429),
        fails(503),
        hidden_error(),
        no_choices(),
        html(),
        drops(),
        says("The answer is", finish_reason="error"),
        says(None),
        says("   "),
    ],
)
def test_two_bad_answers_and_a_good_one(llm: ScriptedLlm, in_tenant: Tenant, bad: Reply) -> None:
    llm.reply(bad, bad, says("In short: all is well."))
    answer = chat_text(ASK, purpose="p", **AT_ONCE)
    assert (answer.text, answer.cut) == ("In short: all is well.", False)
    assert len(llm.chats) == 3


def test_after_three_the_failure_is_raised(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(*[fails(503)] * 4)
    with pytest.raises(LlmFailure) as caught:
        chat_text(ASK, purpose="p", **AT_ONCE)
    assert (caught.value.code, len(llm.chats)) == ("provider_error", 3)


@pytest.mark.parametrize("reply", [fails(401), fails(402), fails(403), hidden_error(402)])
def test_what_cannot_get_better_is_not_repeated(llm: ScriptedLlm, in_tenant: Tenant, reply: Reply) -> None:
    llm.reply(reply, says("too late"))
    with pytest.raises(LlmFailure):
        chat_text(ASK, purpose="p", **AT_ONCE)
    assert len(llm.chats) == 1


def test_a_caller_in_a_hurry_asks_once(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(fails(503), says("too late"))
    with pytest.raises(LlmFailure):
        chat_text(ASK, purpose="p", retry_delays_ms=())
    assert len(llm.chats) == 1


def test_broken_answers_are_paid_for_as_well(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says(None, tokens=(10, 0)), says("fine", tokens=(10, 5)))
    chat_text(ASK, purpose="digest", **AT_ONCE)
    rows = LlmTokenUsage.objects.filter(purpose="digest").values_list("total_tokens", flat=True)
    assert sorted(rows) == [10, 15]


def test_no_transaction_is_held_while_waiting(llm: ScriptedLlm, committed_db: None, tenant: Tenant) -> None:
    from django.db import transaction

    from apps.tenancy.context import tenant_context

    with tenant_context(tenant), pytest.raises(TransactionHeld), transaction.atomic():
        chat_text(ASK, purpose="p", **AT_ONCE)
    assert llm.requests == []
