"""Which sources the minute tick asks for (contract §11.2, §13)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from apps.foundation.clock import now
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync import scheduler
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import enqueue_tick, run_due
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import find_tenant, set_status, update_settings
from tests.fakes.source_site import SourceSite, data
from tests.knowledge.sync.conftest import document

pytestmark = pytest.mark.django_db
Make = Callable[..., KnowledgeSource]
TICK = "knowledge-source-scheduler"


@pytest.fixture
def source(make: Make, site: SourceSite) -> KnowledgeSource:
    site.answers["/api"] = data([document(1)])
    return make("api_pull", url=site.url("/api"), schedule_interval_minutes=60)


def due_in(source: KnowledgeSource) -> timedelta:
    source.refresh_from_db()
    assert source.next_sync_at is not None
    return source.next_sync_at - now()


def overdue(source: KnowledgeSource) -> None:
    KnowledgeSource.objects.filter(pk=source.pk).update(next_sync_at=now() - timedelta(seconds=1))


def test_a_due_source_is_synced_and_due_again_after_its_interval(source: KnowledgeSource, llm: Any) -> None:
    enqueue_tick(TICK)
    assert run_due() >= 2
    run = KnowledgeSyncRun.objects.get()
    assert (run.trigger_type, run.status) == ("schedule", "succeeded")
    assert timedelta(minutes=59) < due_in(source) <= timedelta(minutes=60)
    assert scheduler.enqueue_due() == 0
    overdue(source)
    assert scheduler.enqueue_due() == 1


@pytest.mark.parametrize("status", ["paused", "error"])
def test_only_active_sources(source: KnowledgeSource, status: str) -> None:
    KnowledgeSource.objects.filter(pk=source.pk).update(status=status)
    assert scheduler.enqueue_due() == 0


def test_sources_without_a_schedule_and_those_not_due_are_left(make: Make, site: SourceSite) -> None:
    make("api_pull", url=site.url("/api"))
    later = make("api_pull", key="later", url=site.url("/api"), schedule_interval_minutes=60)
    KnowledgeSource.objects.filter(pk=later.pk).update(next_sync_at=now() + timedelta(minutes=2))
    assert scheduler.enqueue_due() == 0


def test_a_queue_server_that_is_away_means_five_minutes(source: KnowledgeSource, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"redis_url": None})
    assert scheduler.enqueue_due() == 0
    assert timedelta(minutes=4) < due_in(source) <= timedelta(minutes=5)
    assert not KnowledgeSyncRun.objects.exists()


def test_a_source_that_runs_is_not_asked_for_again(source: KnowledgeSource) -> None:
    KnowledgeSyncRun.objects.create(source=source, trigger_type="manual", status="running", started_at=now())
    assert scheduler.enqueue_due() == 0
    assert due_in(source) > timedelta(minutes=50)


def test_a_run_that_hangs_for_two_hours_is_ended(source: KnowledgeSource) -> None:
    stuck = KnowledgeSyncRun.objects.create(
        source=source, trigger_type="manual", status="running", started_at=now() - timedelta(minutes=121)
    )
    assert scheduler.enqueue_due() == 1
    stuck.refresh_from_db()
    assert (stuck.status, "120 minutes" in (stuck.error or "")) == ("failed", True)


def test_the_tenants_own_shortest_interval_counts(source: KnowledgeSource, tenant: Tenant) -> None:
    fresh = update_settings(tenant, {"limits": {"min_sync_interval_minutes": 240}})
    with tenant_context(fresh):
        assert scheduler.enqueue_due() == 1
    assert due_in(source) > timedelta(minutes=239)


def test_inactive_communities_are_passed_over(source: KnowledgeSource, tenant: Tenant, llm: Any) -> None:
    set_status(tenant, "suspended")
    enqueue_tick(TICK)
    run_due(TICK)
    with tenant_context(find_tenant("harbour")):
        assert not KnowledgeSyncRun.objects.exists()
        assert not KnowledgePage.objects.exists()
