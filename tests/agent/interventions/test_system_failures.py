"""Admins hear of failures that members cannot mend: once an hour for each cause, whoever reports them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection

from apps.agent.interventions import sinks
from apps.agent.interventions.system_failures import SystemFailure, report
from apps.agent.models import HumanIntervention
from apps.foundation import clock
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.agent.asking import ask
from tests.agent.record.test_run_record import without_table
from tests.fakes.llm import fails, says
from tests.plugins.community import Community


@pytest.fixture
def told() -> Iterator[list[str]]:
    """Titles a sink was told of."""
    titles: list[str] = []

    def sink(row: HumanIntervention) -> None:
        titles.append(row.title)

    sinks.SINKS.append(sink)
    yield titles
    sinks.SINKS.remove(sink)


def failure(cause: str = "llm:timeout") -> SystemFailure:
    return SystemFailure(cause=cause, title="It failed", explanation="Twice.")


def tell(cause: str = "llm:timeout", *, trace_id: str = "a" * 32) -> None:
    report(failure(cause), channel="web", trace_id=trace_id)


@pytest.mark.django_db
def test_one_matter_an_hour_and_cause_that_counts_the_rest(in_tenant: Tenant, told: list[str]) -> None:
    tell()
    tell(trace_id="b" * 32)
    tell("llm:forbidden")
    row = HumanIntervention.objects.get(metadata__cause="llm:timeout")
    assert (row.metadata["occurrences"], row.metadata["last_trace_id"]) == (2, "b" * 32)
    assert row.metadata["trace_id"] == "a" * 32 and row.status == "open" and row.category == "system_failure"
    assert len(told) == HumanIntervention.objects.count() == 2


@pytest.mark.django_db
def test_after_an_hour_it_is_news_again(in_tenant: Tenant) -> None:
    tell()
    HumanIntervention.objects.update(created_at=clock.now() - timedelta(minutes=61))
    tell()
    assert HumanIntervention.objects.count() == 2


@pytest.mark.django_db
def test_each_community_has_its_own(tenant: Tenant, other_tenant: Tenant) -> None:
    for community in (tenant, other_tenant):
        with tenant_context(community):
            tell()
            assert HumanIntervention.objects.count() == 1


def test_many_at_once_are_one(committed_db: None, tenant: Tenant) -> None:
    together = threading.Barrier(8)

    def one() -> None:
        with tenant_context(tenant):
            together.wait(30)
            tell()
        connection.close()

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with tenant_context(tenant):
        assert HumanIntervention.objects.get().metadata["occurrences"] == 8


@pytest.mark.django_db
def test_a_sink_that_fails_costs_neither_the_row_nor_the_others(in_tenant: Tenant, told: list[str]) -> None:
    def broken(_row: HumanIntervention) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM no_such_table")

    sinks.SINKS.insert(0, broken)
    try:
        tell()
    finally:
        sinks.SINKS.remove(broken)
    assert told == ["It failed"] and HumanIntervention.objects.count() == 1


@pytest.mark.parametrize(
    ("status", "code"), [(401, "unauthorized"), (402, "payment_required"), (403, "forbidden")]
)
def test_a_refusal_that_no_retry_mends_reaches_the_admins_at_once(
    community: Community, status: int, code: str
) -> None:
    community.llm.reply(fails(status))
    outcome = ask(community)
    assert outcome.success is False and len(community.llm.chats) == 1
    with tenant_context(community.tenant):
        row = HumanIntervention.objects.get()
    assert (
        row.metadata.items()
        >= {"cause": f"llm:{code}", "trace_id": outcome.trace_id, "occurrences": 1}.items()
    )
    assert outcome.trace_id in row.details and "test-key" not in row.details + row.title


def test_exhausted_retries_reach_them_too(community: Community) -> None:
    community.llm.reply(fails(503), fails(503), fails(503))
    ask(community)
    with tenant_context(community.tenant):
        assert HumanIntervention.objects.get().metadata["cause"] == "llm:provider_error"


def test_a_turn_without_an_answer_reaches_them(community: Community) -> None:
    community.llm.answer_with(lambda _request, _headers: says("🙂"))
    outcome = ask(community)
    assert outcome.success is False and outcome.response
    with tenant_context(community.tenant):
        assert HumanIntervention.objects.get().metadata["cause"] == "turn:no_answer"


def test_a_turn_that_breaks_off_reaches_them_and_still_raises(community: Community) -> None:
    with without_table("conversation_logs"), pytest.raises(Exception, match="conversation_logs"):
        ask(community)
    with tenant_context(community.tenant):
        assert HumanIntervention.objects.get().metadata["cause"] == "turn:ProgrammingError"


def test_a_failed_tool_is_no_failure_of_the_system(community: Community) -> None:
    from tests.fakes.llm import calls

    community.llm.reply(
        calls(("book_room", {"room": "Loft"})),
        says("That is all there is to be done here."),
        says("The Loft is taken, so nothing was booked."),
    )
    ask(community)
    with tenant_context(community.tenant):
        assert not HumanIntervention.objects.exists()
