"""A thread is distilled ten minutes after the last reply, on the real table of jobs (criterion 4 of the contract)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.db import connections

from apps.foundation.clock import now
from apps.knowledge.models import SlackThreadArtifact
from apps.knowledge.slack_index.distillation import PURPOSE
from apps.knowledge.slack_index.distilling import QUEUE
from apps.knowledge.slack_index.events import offer
from apps.knowledge.slack_index.ingest import ingest_message
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import run_due
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.llm import says_json
from tests.fakes.slack import FakeSlack
from tests.knowledge.slack_index.conftest import LONG, at, event, said, work

DIGEST = {"question": "Where?", "summary": "Pier nine.", "resolution": "", "topics": ["pier"]}


def waiting() -> QueueJob:
    return QueueJob.objects.get(queue=QUEUE, state="waiting")


def test_replies_restart_the_clock_and_one_document_comes_of_them(slack: FakeSlack, llm: Any) -> None:
    llm.answer_with(lambda *_: says_json(DIGEST), purpose=PURPOSE)
    offer(event(1))
    for number in (2, 3, 4, 5):
        offer(event(number, f"{LONG} Reply {number}.", user="U0MO", thread_ts=at(1)))
        work()
        call_command("jobs", "advance", "540")
        assert run_due(QUEUE) == 0
    assert waiting().run_after - now() < timedelta(minutes=1)
    call_command("jobs", "advance", "120")
    assert run_due(QUEUE) == 1
    document = SlackThreadArtifact.objects.get(kind="thread")
    assert (document.message_count, document.thread_ts) == (5, at(1))
    assert len([request for request in llm.requests if request.purpose == PURPOSE]) == 1
    assert run_due(QUEUE) == 0


def test_a_reply_during_the_distillation_causes_one_more(
    committed_db: None, tenant: Tenant, llm: Any
) -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def answer(*_: Any) -> Any:
        thinking.set()
        go_on.wait(30)
        return says_json(DIGEST)

    def run() -> None:
        run_due(QUEUE)
        connections.close_all()

    llm.answer_with(answer, purpose=PURPOSE)
    with tenant_context(tenant):
        for number in (1, 2, 3):
            ingest_message(said(number, LONG, thread_ts=at(1)))
        QueueJob.objects.update(run_after=now())
        worker = threading.Thread(target=run)
        worker.start()
        assert thinking.wait(30)
        for number in (4, 5):
            ingest_message(said(number, LONG, thread_ts=at(1)))
        go_on.set()
        worker.join(30)
        states = sorted(QueueJob.objects.filter(queue=QUEUE).values_list("state", flat=True))
        assert states == ["done", "waiting"]
        QueueJob.objects.update(run_after=now())
        assert run_due(QUEUE) == 1
        assert SlackThreadArtifact.objects.get(kind="thread").message_count == 5
