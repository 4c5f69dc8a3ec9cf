"""Criterion 5: what a sync creates, updates and skips, its row, and one run at a time, on real worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from apps.knowledge.models import (
    KnowledgeChunk,
    KnowledgePage,
    KnowledgeSource,
    KnowledgeSyncRun,
    KnowledgeTrash,
)
from apps.knowledge.sources import create_source
from apps.knowledge.sync.requests import QUEUE, push_documents, request_sync
from tests.fakes.llm import ScriptedLlm, says
from tests.fakes.source_site import SourceSite, data
from tests.knowledge.sync.conftest import counters, document
from tests.knowledge.sync.test_killed import NEW, OLD, PURPOSE, STAGES, StageOf, shown
from tests.tenancy.jobs.processes import Fleet, kill, until

pytestmark = [pytest.mark.serial, pytest.mark.usefixtures("in_tenant")]
# A sentence a document, for vectors that cost next to nothing: the least advantage unchanged documents can have.
DOCUMENTS = [document(number) for number in range(250)]


@pytest.fixture
def workers(fleet_of: Callable[..., Fleet]) -> Fleet:
    return fleet_of(QUEUE)


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as running:
        yield running


def settled(run: KnowledgeSyncRun) -> KnowledgeSyncRun:
    """Once a worker has brought it to its end."""

    def over() -> bool:
        run.refresh_from_db()
        return run.status not in ("queued", "running")

    until(over, "the run ends", patience=120)
    return run


def seconds(run: KnowledgeSyncRun) -> float:
    """How long it was worked on; the wait in the queue is left out."""
    assert run.started_at is not None and run.finished_at is not None
    return (run.finished_at - run.started_at).total_seconds()


def test_created_then_skipped_then_one_updated(workers: Fleet, llm: ScriptedLlm) -> None:
    create_source(source_key="handbook", name="Handbook", source_kind="api_push")
    workers.start()
    first = settled(push_documents("handbook", DOCUMENTS))
    assert (first.status, first.trigger_type, first.error) == ("succeeded", "api", None)
    assert (first.documents_received, counters(first)) == (250, (250, 0, 0, 0))
    assert not KnowledgeChunk.objects.filter(embedding__isnull=True).exists()

    llm.requests.clear()
    again = settled(push_documents("handbook", DOCUMENTS))
    assert (again.status, counters(again), llm.requests) == ("succeeded", (0, 0, 250, 0), [])
    print(  # noqa: T201 - the figure is wanted
        f"a worker creates 250 in {seconds(first):.2f} s and skips them in {seconds(again):.3f} s:"
        f" {seconds(first) / seconds(again):.0f} times faster"
    )
    assert seconds(again) * 5 < seconds(first)

    edited = [*DOCUMENTS[:17], document(17, DOCUMENTS[17]["content_text"].replace("warden", "captain"))]
    third = settled(push_documents("handbook", [*edited, *DOCUMENTS[18:]]))
    assert counters(third) == (0, 1, 249, 0)
    assert [text.partition("\n")[0] for call in llm.embeddings for text in call.body["input"]] == ["Rule 17"]
    assert llm.chats == []
    assert (
        list(KnowledgeSyncRun.objects.order_by("created_at").values_list("status", flat=True))
        == ["succeeded"] * 3
    )


def test_of_two_pushes_at_once_one_runs(workers: Fleet, llm: ScriptedLlm) -> None:
    source = create_source(source_key="handbook", name="Handbook", source_kind="api_push")
    begun, gate = threading.Event(), threading.Event()

    def waits(_: str) -> bool:
        begun.set()
        gate.wait(60)
        return False

    llm.embedding.refuses = waits
    workers.start()
    first = push_documents("handbook", DOCUMENTS[:5])
    assert begun.wait(60)
    second = settled(push_documents("handbook", DOCUMENTS[5:9]))
    first.refresh_from_db()
    assert (first.status, second.status) == ("running", "failed")
    assert "is active" in (second.error or "")
    gate.set()
    assert counters(settled(first)) == (5, 0, 0, 0)
    assert sorted(KnowledgePage.objects.values_list("external_id", flat=True)) == ["0", "1", "2", "3", "4"]
    source.refresh_from_db()
    assert (source.status, source.consecutive_failures) == ("active", 0)


POINTS = {
    name: STAGES[name] for name in ("fetching", "cleaning the fourth", "storing", "embedding", "deleting")
}


@pytest.mark.parametrize("stage_of", POINTS.values(), ids=POINTS)
def test_a_killed_worker_is_replaced_and_its_run_finished(
    workers: Fleet, site: SourceSite, llm: ScriptedLlm, stage_of: StageOf, tmp_path: Path
) -> None:
    """Nobody helps: the supervisor starts another process, which takes the silent job back and goes on."""
    llm.answer_with(lambda body, _: says(shown(body)), purpose=PURPOSE)
    site.answers["/api"] = data(OLD)
    source: KnowledgeSource = create_source(
        source_key="handbook",
        name="Handbook",
        source_kind="api_pull",
        url=site.url("/api"),
        replace_missing=True,
        ai_cleanup=True,
    )
    supervisor = workers.start()
    assert settled(request_sync(source.pk)).pages_created == 3
    site.answers["/api"] = data(NEW)
    run = request_sync(source.pk)
    with stage_of(site, llm) as stage:
        assert stage.reached.wait(60), "the worker never got there"
        kill(workers.member(supervisor, QUEUE))
        stage.is_open.set()
    settled(run)
    assert (run.status, run.error) == ("succeeded", None)
    assert counters(run) == (6, 0, 0, 3)
    stored = sorted(KnowledgePage.objects.values_list("external_id", flat=True))
    assert stored == [f"new-{number}" for number in range(6)]
    assert (KnowledgeChunk.objects.count(), KnowledgeTrash.objects.count()) == (6, 3)
    assert not KnowledgeChunk.objects.filter(embedding__isnull=True).exists()
