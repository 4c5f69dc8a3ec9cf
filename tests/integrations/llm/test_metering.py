"""Every call is charged to its tenant and shown to its requester, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from apps.integrations.llm import chat, embeddings, metering
from apps.tenancy.context import tenant_context
from apps.tenancy.models import LlmTokenUsage, Tenant
from tests.fakes.llm import ScriptedLlm, fails, raw, says

ASK: list[dict[str, Any]] = [{"role": "user", "content": "hello"}]


def test_a_call_leaves_a_row(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("ok", tokens=(120, 30), cost=0.00125))
    chat.complete(ASK, purpose="agent.answer", model="x/small")
    row = LlmTokenUsage.objects.get()
    assert (row.tenant_id, row.purpose, row.model) == (in_tenant.pk, "agent.answer", "x/small")
    assert (row.prompt_tokens, row.completion_tokens, row.total_tokens) == (120, 30, 150)
    assert row.cost_usd == Decimal("0.00125")


def test_the_requester_sees_the_sum(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("a", tokens=(10, 5), cost=0.5), says("b", tokens=(20, 5), cost=0.25))
    with metering.collecting() as usage:
        chat.complete(ASK, purpose="p")
        chat.complete(ASK, purpose="p")
        embeddings.embed(["abcd" * 3])
    totals = usage.totals()
    assert totals.llm_calls == 2
    assert totals.tokens == 40 + 4
    assert totals.cost_usd == pytest.approx(0.75 + llm.embedding.cost)
    assert LlmTokenUsage.objects.count() == 3


def test_an_inner_collector_adds_to_the_outer_one(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("a"), says("b"))
    with metering.collecting() as outer:
        chat.complete(ASK, purpose="p")
        with metering.collecting() as inner:
            chat.complete(ASK, purpose="p")
    assert (outer.totals().llm_calls, inner.totals().llm_calls) == (2, 1)


def test_work_for_the_platform_is_not_billed_to_the_requester(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("a"), says("b"))
    with metering.collecting() as usage:
        with metering.exit_usage_collection():
            chat.complete(ASK, purpose="action-alerts.evaluate")
        chat.complete(ASK, purpose="p")
    assert usage.totals().llm_calls == 1
    assert LlmTokenUsage.objects.count() == 2


def test_calls_in_threads_reach_their_own_collector_and_tenant(
    llm: ScriptedLlm, committed_db: None, tenant: Tenant, other_tenant: Tenant
) -> None:
    """RET-07: twenty turns at once, tenants alternating."""
    llm.answer_with(lambda request, headers: says("ok", tokens=(1, 0), delay=0.02))

    def call(number: int) -> None:
        chat.complete(ASK, purpose=f"turn-{number}")
        connection.close()  # a thread that ends gives back what it took

    def turn(number: int) -> tuple[int, int]:
        with tenant_context(tenant if number % 2 else other_tenant), metering.collecting() as usage:
            with ThreadPoolExecutor(2) as pool:
                for job in [pool.submit(copy_context().run, call, number) for _ in range(3)]:
                    job.result()
            rows = LlmTokenUsage.objects.filter(purpose=f"turn-{number}").count()
            connection.close()
            return usage.totals().llm_calls, rows

    with ThreadPoolExecutor(10) as turns:
        assert list(turns.map(turn, range(20))) == [(3, 3)] * 20
    with tenant_context(tenant):
        assert LlmTokenUsage.objects.count() == 30


def test_a_broken_answer_that_was_billed_is_counted(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("The answer is", finish_reason="error", tokens=(70, 7)))
    with metering.collecting() as usage, pytest.raises(chat.LlmFailure):
        chat.complete(ASK, purpose="p")
    assert (usage.totals().llm_calls, usage.totals().tokens) == (1, 77)


def test_a_call_that_never_was_answered_is_not(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(fails(503))
    with metering.collecting() as usage, pytest.raises(chat.LlmFailure):
        chat.complete(ASK, purpose="p")
    assert usage.totals() == metering.UsageTotals()
    assert not LlmTokenUsage.objects.exists()


@pytest.mark.parametrize(
    ("block", "tokens", "cost"),
    [
        ("null", (0, 0, 0), 0.0),
        ('{"prompt_tokens": 3, "completion_tokens": 4}', (3, 4, 7), 0.0),
        (
            '{"prompt_tokens": "3", "completion_tokens": true, "total_tokens": -5, "cost": "1"}',
            (0, 0, 0),
            0.0,
        ),
        (
            '{"prompt_tokens": 1e300, "total_tokens": 1e300, "cost": 1e300}',
            (2**31 - 1, 0, 2**31 - 1),
            99_999.0,
        ),
        ('{"total_tokens": NaN, "cost": Infinity}', (0, 0, 0), 0.0),
        ('{"total_tokens": 9.0, "cost": -1}', (0, 0, 9), 0.0),
    ],
)
def test_senseless_usage_is_stored_as_something_sane(
    llm: ScriptedLlm, in_tenant: Tenant, block: str, tokens: tuple[int, int, int], cost: float
) -> None:
    llm.reply(raw(f'{{"choices": [{{"message": {{"content": "x"}}}}], "usage": {block}}}'.encode()))
    usage = chat.complete(ASK, purpose="p").usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == tokens
    assert usage.cost_usd == cost
    assert float(LlmTokenUsage.objects.get().cost_usd) == cost
