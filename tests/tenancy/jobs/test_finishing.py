"""An effect that ends its job: both are in one commit, or neither is."""

from __future__ import annotations

import logging

import pytest
from django.db import transaction

from apps.foundation import queues
from apps.tenancy.jobs import Job, LostClaim, enqueue, run_due
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.silence import take_back_silent
from apps.tenancy.models import QueueJob, Tenant
from apps.tenancy.models.jobs import QueueJobEvent
from tests.tenancy.jobs.conftest import Handle, only, rows, silence

QUEUE, EFFECTS = "conversation-memory", "follow-up-run"
pytestmark = pytest.mark.usefixtures("in_tenant")


def ended() -> int:
    return QueueJobEvent.objects.filter(queue=QUEUE).count()


def effect(job: Job) -> None:
    with job.fenced(finish=True):
        enqueue(EFFECTS, payload={})


def test_the_job_is_done_with_its_effect(handle: Handle, caplog: pytest.LogCaptureFixture) -> None:
    def run(job: Job) -> None:
        effect(job)
        # From here on a kill changes nothing: whoever looks finds the job done.
        assert QueueJob.objects.get(pk=job.id).state == "done"
        assert take_back_silent(silent_seconds=0) == 0

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    with caplog.at_level(logging.WARNING):
        assert run_due(QUEUE) == 1
    assert (only(QUEUE).state, ended(), len(rows(EFFECTS))) == ("done", 1, 1)
    assert caplog.records == []


def test_an_error_inside_leaves_neither(handle: Handle) -> None:
    def run(job: Job) -> None:
        with job.fenced(finish=True):
            enqueue(EFFECTS, payload={})
            raise ValueError

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    run_due(QUEUE)
    assert (only(QUEUE).state, ended(), rows(EFFECTS)) == ("retrying", 0, [])


def test_an_error_afterwards_does_not_run_it_again(handle: Handle) -> None:
    def run(job: Job) -> None:
        effect(job)
        raise ValueError

    handle(QUEUE, run)
    enqueue(QUEUE, payload={})
    assert run_due(QUEUE) == 1
    assert (only(QUEUE).state, ended(), len(rows(EFFECTS))) == ("done", 1, 1)


def test_a_lost_claim_ends_nothing(in_tenant: Tenant) -> None:
    enqueue(QUEUE, payload={})
    old = claim(queues.queue(QUEUE))
    assert old is not None
    silence(QUEUE)
    assert take_back_silent() == 1
    with pytest.raises(LostClaim), transaction.atomic():
        effect(old)
    assert (only(QUEUE).state, old.closed, rows(EFFECTS)) == ("retrying", False, [])
