"""A claim that was taken back can no longer write anything."""

from __future__ import annotations

import pytest

from apps.foundation import queues
from apps.tenancy.jobs import Job, LostClaim, enqueue, run_due, settle
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.runs import runs
from apps.tenancy.jobs.silence import take_back_silent
from apps.tenancy.models import Tenant
from tests.tenancy.jobs.conftest import Handle, nothing, only, scaled, silence

QUEUE = "conversation-memory"


def claimed() -> Job:
    job = claim(queues.queue(QUEUE))
    assert job is not None
    return job


def stolen() -> tuple[Job, Job]:
    """The same row claimed twice, the first claim having gone silent."""
    enqueue(QUEUE, key="k", payload={})
    old = claimed()
    silence(QUEUE)
    assert take_back_silent() == 1
    return old, claimed()


def test_a_silent_claim_comes_back_with_its_attempt_counted(in_tenant: Tenant) -> None:
    old, new = stolen()
    assert (new.id, new.attempt) == (old.id, 2)
    assert new.fence > old.fence


def test_the_old_claim_cannot_close_the_row(in_tenant: Tenant) -> None:
    old, _ = stolen()
    assert settle.finish(old) is False
    assert settle.fail(old, ValueError()) is False
    assert settle.hand_back(old) is False
    assert only(QUEUE).state == "running"


def test_the_old_claim_cannot_save_a_checkpoint(in_tenant: Tenant) -> None:
    old, new = stolen()
    with pytest.raises(LostClaim):
        old.save_checkpoint({"step": "old"})
    new.save_checkpoint({"step": "new"})
    assert only(QUEUE).checkpoint == {"step": "new"}
    assert old.stopping
    assert not new.stopping


def test_the_old_claim_cannot_commit_an_effect(in_tenant: Tenant) -> None:
    old, new = stolen()
    with pytest.raises(LostClaim), old.fenced():
        Tenant.objects.filter(pk=in_tenant.pk).update(display_name="written by the old run")
    with new.fenced():
        Tenant.objects.filter(pk=in_tenant.pk).update(display_name="written by the new run")
    in_tenant.refresh_from_db()
    assert in_tenant.display_name == "written by the new run"


def test_a_job_that_always_kills_its_worker_ends(in_tenant: Tenant, handle: Handle) -> None:
    told: list[str] = []
    handle(QUEUE, nothing, gave_up=lambda job, error: told.append(error))
    enqueue(QUEUE, payload={})
    for _ in range(queues.queue(QUEUE).attempts):
        claimed()
        silence(QUEUE)
        take_back_silent()
    assert only(QUEUE).state == "failed"
    assert told == ["its worker went silent"]
    assert claim(queues.queue(QUEUE)) is None


def test_a_dead_run_leaves_its_key_free(in_tenant: Tenant, handle: Handle) -> None:
    handle(QUEUE, nothing)
    enqueue(QUEUE, key="member", payload={})
    claimed()
    enqueue(QUEUE, key="member", payload={})
    silence(QUEUE)
    take_back_silent()
    assert run_due(QUEUE) == 2


def test_a_checkpoint_is_there_for_the_retry(in_tenant: Tenant, handle: Handle) -> None:
    sent: list[str] = []

    def run(job: Job) -> None:
        if job.checkpoint is None:
            job.save_checkpoint({"reply": "prepared once"})
            raise ConnectionError
        sent.append(job.checkpoint["reply"])

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    from tests.tenancy.jobs.conftest import make_due

    make_due(QUEUE)
    run_due(QUEUE)
    assert sent == ["prepared once"]
    assert only(QUEUE).checkpoint is None


def test_a_beat_keeps_the_claim(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    job = claimed()
    silence(QUEUE)
    with runs.active(job):
        runs.beat()
    assert take_back_silent() == 0
    assert not job.stopping


def test_a_beat_tells_a_run_that_it_lost_its_claim(in_tenant: Tenant) -> None:
    old, _ = stolen()
    with runs.active(old):
        runs.beat()
    assert old.stopping


def test_a_run_past_its_limit_beats_no_more(in_tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    scaled(monkeypatch, QUEUE, max_seconds=-1)
    enqueue(QUEUE, payload={})
    job = claimed()
    silence(QUEUE)
    with runs.active(job):
        runs.beat()
    assert job.stopping
    assert take_back_silent() == 1
