"""So many messages a minute, of all communities and of each; the others wait and none is lost."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

from django.db import connections
from hypothesis import given
from hypothesis import strategies as st

from apps.foundation.clock import now
from apps.knowledge.models import ProcessedSlackMessage, SlackIngestTurns
from apps.knowledge.slack_index.events import QUEUE, offer
from apps.knowledge.slack_index.turns import MINUTE, Whose, book, next_turn
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import run_due
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.tenants import update_settings
from tests.fakes.slack import FakeSlack
from tests.knowledge.slack_index.conftest import event, make_due

START = datetime.fromisoformat("2026-11-30T08:00:00+00:00")


def most_in_a_minute(turns: list[datetime]) -> int:
    return max(sum(1 for turn in turns if first <= turn < first + MINUTE) for first in turns)


def test_thirty_go_in_at_once_and_the_rest_waits_its_turn(slack: FakeSlack, llm: Any) -> None:
    for number in range(40):
        offer(event(number))
    run_due(QUEUE)
    assert ProcessedSlackMessage.objects.count() == 30
    rests = [row.run_after - now() for row in QueueJob.objects.filter(state="retrying")]
    assert len(rests) == 10 and all(timedelta(seconds=20) < rest <= MINUTE for rest in rests)
    make_due()
    run_due(QUEUE)
    assert ProcessedSlackMessage.objects.count() == 40
    assert {row.attempts for row in QueueJob.objects.all()} == {1}


def test_a_community_may_have_a_number_of_its_own(slack: FakeSlack, llm: Any, tenant: Tenant) -> None:
    changed = update_settings(tenant, {"limits": {"slack_ingest_per_minute": 3}})
    with tenant_context(changed):
        turns = [book(Whose.TENANT) for _ in range(7)]
    assert most_in_a_minute(turns) == 3
    assert turns[6] >= turns[0] + 2 * MINUTE


def test_all_communities_together_have_sixty(tenant: Tenant, other_tenant: Tenant) -> None:
    turns = []
    for number in range(130):
        with tenant_context((tenant, other_tenant)[number % 2]):
            turns.append(book(Whose.PLATFORM))
    assert most_in_a_minute(turns) == 60
    assert turns == sorted(turns) and turns[129] >= turns[0] + 2 * MINUTE


def test_one_communitys_backlog_holds_up_nobody_else(
    slack: FakeSlack, llm: Any, tenant: Tenant, other_tenant: Tenant
) -> None:
    with tenant_context(tenant):
        for number in range(100):
            offer(event(number))
    with tenant_context(other_tenant):
        for number in range(20):
            offer(event(number))
    run_due(QUEUE)
    with tenant_context(other_tenant):
        assert ProcessedSlackMessage.objects.count() == 20
    with tenant_context(tenant):
        assert ProcessedSlackMessage.objects.count() == 30


def test_threads_that_book_at_the_same_moment_share_the_number(committed_db: None, tenant: Tenant) -> None:
    def booked() -> None:
        with tenant_context(tenant):
            for _ in range(10):
                book(Whose.TENANT)
        connections.close_all()

    began = now()
    workers = [threading.Thread(target=booked) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with tenant_context(tenant):
        turns = SlackIngestTurns.objects.get(scope="tenant").turns
    assert len(turns) == 60 and turns == sorted(turns)
    assert sum(1 for turn in turns if turn < began + MINUTE) == 30


@given(st.lists(st.floats(min_value=0, max_value=90), max_size=80), st.integers(min_value=1, max_value=60))
def test_no_minute_ever_has_too_many(gaps: list[float], a_minute: int) -> None:
    at, turns = START, list[datetime]()
    for gap in gaps:
        at += timedelta(seconds=gap)
        turn = next_turn(turns, at=at, a_minute=a_minute)
        assert turn >= at
        turns.append(turn)
    assert turns == sorted(turns)
    assert not turns or most_in_a_minute(turns) <= a_minute
