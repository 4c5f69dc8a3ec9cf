"""The life of runs: one at a time, the cap, crashes, redelivery (contract §11.2, KNW-08)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from apps.foundation.clock import now
from apps.foundation.errors import Conflict, NotFound
from apps.knowledge import broken
from apps.knowledge.models import KnowledgePage, KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sources import delete_source, pause_source, update_source
from apps.knowledge.sync.requests import QUEUE, push_documents, request_sync
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import run_due
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.tenants import find_tenant, set_status, update_settings
from tests.fakes.source_site import SourceSite, data, page
from tests.knowledge.sync.conftest import counters, document, job_of, make_due, push, sync

pytestmark = pytest.mark.django_db
Make = Callable[..., KnowledgeSource]


def begun(source: KnowledgeSource, *, minutes: int = 1) -> KnowledgeSyncRun:
    """A run that some other process began and never ended."""
    moment = now() - timedelta(minutes=minutes)
    run: KnowledgeSyncRun = KnowledgeSyncRun.objects.create(
        source=source, trigger_type="manual", status="running", started_at=moment
    )
    return run


def test_while_one_runs_another_fails_and_the_source_is_not_blamed(make: Make, llm: Any) -> None:
    source = make()
    other = begun(source)
    run = push([document(1)])
    assert (run.status, "is active" in (run.error or "")) == ("failed", True)
    assert job_of(run).state == "done"
    source.refresh_from_db()
    other.refresh_from_db()
    assert (source.consecutive_failures, other.status) == (0, "running")
    assert not KnowledgePage.objects.exists()


def test_after_half_an_hour_it_counts_as_abandoned(make: Make, llm: Any) -> None:
    source = make()
    stuck = begun(source, minutes=31)
    assert push([document(1)]).status == "succeeded"
    stuck.refresh_from_db()
    assert (stuck.status, "30 minutes" in (stuck.error or "")) == ("failed", True)
    source.refresh_from_db()
    assert source.consecutive_failures == 0


def test_two_requests_at_once_are_one_run(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/"] = data([document(1)])
    source = make("api_pull", url=site.url())
    assert request_sync(source.pk).pk == request_sync(source.pk).pk
    assert request_sync(source.pk, options={"replace_missing": True}).pk != request_sync(source.pk).pk


def test_a_redelivered_job_goes_on_with_its_own_run(make: Make, llm: Any) -> None:
    make()
    run = push_documents("handbook", [document(1), document(2)])
    KnowledgeSyncRun.objects.filter(pk=run.pk).update(status="running", started_at=now())
    run_due(QUEUE)
    run.refresh_from_db()
    assert (run.status, counters(run)) == ("succeeded", (2, 0, 0, 0))


def test_a_settled_run_is_not_run_again(make: Make, llm: Any) -> None:
    make()
    run = push_documents("handbook", [document(1)])
    KnowledgeSyncRun.objects.filter(pk=run.pk).update(status="failed", error="given up")
    run_due(QUEUE)
    assert not KnowledgePage.objects.exists()
    assert job_of(run).state == "done"


def test_no_more_syncs_at_once_than_the_tenant_may(make: Make, tenant: Tenant, llm: Any) -> None:
    make()
    first, second = make(key="one"), make(key="two")
    begun(first)
    held = begun(second)
    run = push_documents("handbook", [document(1)])
    run_due(QUEUE, limit=1)
    run.refresh_from_db()
    job = job_of(run)
    assert (run.status, job.state, job.attempts) == ("queued", "retrying", 0)
    KnowledgeSyncRun.objects.filter(pk=held.pk).update(status="succeeded")
    make_due()
    run_due(QUEUE)
    run.refresh_from_db()
    assert run.status == "succeeded"


def test_the_cap_is_the_tenants_own(make: Make, tenant: Tenant, llm: Any) -> None:
    fresh = update_settings(tenant, {"limits": {"sync_cap": 1}})
    make()
    begun(make(key="one"))
    with tenant_context(fresh):
        run = push_documents("handbook", [document(1)])
        run_due(QUEUE, limit=1)
    run.refresh_from_db()
    assert run.status == "queued"


def test_a_paused_source_is_refused_and_its_queued_run_not_run(
    make: Make, site: SourceSite, llm: Any
) -> None:
    site.answers["/"] = data([document(1)])
    source = make("api_pull", url=site.url())
    run = request_sync(source.pk)
    pause_source(source.pk)
    with pytest.raises(Conflict, match="paused"):
        request_sync(source.pk)
    run_due(QUEUE)
    run.refresh_from_db()
    source.refresh_from_db()
    assert (run.status, source.consecutive_failures, site.asked) == ("failed", 0, [])


def test_in_error_only_the_schedule_rests(make: Make, site: SourceSite, llm: Any) -> None:
    site.answers["/"] = data([document(1)])
    source = make("api_pull", url=site.url())
    KnowledgeSource.objects.filter(pk=source.pk).update(status="error", consecutive_failures=3)
    scheduled = request_sync(source.pk, trigger="schedule")
    run_due(QUEUE)
    scheduled.refresh_from_db()
    assert (scheduled.status, site.asked) == ("failed", [])
    for trigger in ("manual", "webhook", "api"):
        KnowledgeSource.objects.filter(pk=source.pk).update(status="error")
        run = request_sync(source.pk, trigger=trigger)
        run_due(QUEUE)
        run.refresh_from_db()
        assert run.status == "succeeded"
        source.refresh_from_db()
        assert source.status == "active"


def test_what_somebody_asks_for_does_not_share_the_rest_of_the_schedule(
    make: Make, site: SourceSite, llm: Any
) -> None:
    site.answers["/"] = data([document(1)])
    source = make("api_pull", url=site.url())
    scheduled = request_sync(source.pk, trigger="schedule")
    KnowledgeSource.objects.filter(pk=source.pk).update(status="error", consecutive_failures=3)
    wanted = request_sync(source.pk)
    assert wanted.pk != scheduled.pk
    assert request_sync(source.pk, trigger="api").pk == wanted.pk
    run_due(QUEUE)
    wanted.refresh_from_db()
    source.refresh_from_db()
    assert (wanted.status, source.status) == ("succeeded", "active")


def test_the_third_failure_is_heard(
    make: Make, site: SourceSite, llm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(broken, "HEARD", [lambda source: heard.append(source.last_error)])
    source = make("api_pull", url=site.url("/gone"))
    for _ in range(4):
        sync(source)
    assert len(heard) == 1 and "404" in heard[0]


def test_an_audience_changed_meanwhile_counts(make: Make, llm: Any) -> None:
    source = make()
    push([document(1)])
    update_source(source.pk, audience_tiers=["mentor"])
    assert KnowledgePage.objects.get().audience_tiers == ["mentor"]
    push([document(1), document(2)])
    assert set(map(tuple, KnowledgePage.objects.values_list("audience_tiers", flat=True))) == {("mentor",)}


def test_a_job_that_is_lost_for_good_ends_its_run(make: Make, llm: Any) -> None:
    from apps.tenancy.jobs.silence import take_back_silent

    source = make()
    run = push_documents("handbook", [document(1)])
    KnowledgeSyncRun.objects.filter(pk=run.pk).update(status="running", started_at=now())
    QueueJob.objects.filter(pk=job_of(run).pk).update(
        state="running", attempts=4, fence=4, beat_at="2020-01-01T00:00:00Z"
    )
    assert take_back_silent() == 1
    run.refresh_from_db()
    source.refresh_from_db()
    assert (run.status, source.consecutive_failures) == ("failed", 1)


def test_a_queue_server_that_is_away_is_told_and_leaves_nothing(make: Make, settings: Any) -> None:
    from apps.foundation.broker import BrokerDown

    make()
    settings.ENV = settings.ENV.model_copy(update={"redis_url": None})
    with pytest.raises(BrokerDown):
        push_documents("handbook", [document(1)])
    assert not KnowledgeSyncRun.objects.exists()
    assert not QueueJob.objects.exists()


def test_a_queue_server_that_goes_away_in_between_leaves_no_run_that_waits_for_ever(
    make: Make,
    site: SourceSite,
    llm: Any,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    from apps.foundation import broker
    from apps.tenancy.jobs import carrier

    def gone(*_: Any, **__: Any) -> None:
        raise broker.BrokerDown

    source = make("api_pull", url=site.url())
    with monkeypatch.context() as patch, pytest.raises(broker.BrokerDown):
        patch.setattr(carrier, "nudge", gone)
        with django_capture_on_commit_callbacks(execute=True):
            request_sync(source.pk)
    assert [run.status for run in KnowledgeSyncRun.objects.all()] == ["failed"]
    assert not QueueJob.objects.exists()
    assert request_sync(source.pk).status == "queued", "the next one is a run of its own, with its job"
    assert QueueJob.objects.count() == 1


def test_runs_of_an_inactive_community_fail_without_a_run(make: Make, tenant: Tenant, llm: Any) -> None:
    make()
    run = push_documents("handbook", [document(1)])
    set_status(tenant, "suspended")
    run_due(QUEUE)
    run.refresh_from_db()
    assert (run.status, "not active" in (run.error or "")) == ("failed", True)


def test_other_communities_sources_do_not_exist(
    make: Make, other_tenant: Tenant, site: SourceSite, llm: Any
) -> None:
    site.answers["/"] = page("x")
    source = make("api_pull", url=site.url())
    with tenant_context(find_tenant("mill")):
        for act in (
            lambda: request_sync(source.pk),
            lambda: push_documents("handbook", [document(1)]),
            lambda: update_source(source.pk, name="Mine"),
            lambda: pause_source(source.pk),
            lambda: delete_source(source.pk),
        ):
            with pytest.raises(NotFound):
                act()
        assert not KnowledgeSyncRun.objects.exists()
    source.refresh_from_db()
    assert (source.name, source.status) == ("Handbook", "active")
    assert site.asked == []
