"""A worker killed with -9 at every stage of a run: the next one finishes it, nothing doubled or lost (KNW-08)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from apps.knowledge.models import (
    KnowledgeChunk,
    KnowledgePage,
    KnowledgeSource,
    KnowledgeSyncRun,
    KnowledgeTrash,
)
from apps.knowledge.sync.requests import QUEUE, request_sync
from apps.tenancy.jobs import run_due
from apps.tenancy.jobs.silence import take_back_silent
from tests.fakes.llm import Reply, ScriptedLlm, says
from tests.fakes.source_site import Answer, SourceSite, data
from tests.knowledge.sync.conftest import document, job_of, sync

pytestmark = pytest.mark.serial
ROOT = Path(__file__).resolve().parents[3]
LOCK = 4_711
OLD = [document(f"old-{number}") for number in range(3)]
NEW = [document(f"new-{number}") for number in range(6)]
PURPOSE = "knowledge.cleanup"
Make = Callable[..., KnowledgeSource]


class Stage:
    """Where the worker stands when it is killed: it gets here, and no further."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.is_open = threading.Event()

    def hold(self) -> None:
        self.reached.set()
        self.is_open.wait(60)


StageOf = Callable[[SourceSite, ScriptedLlm], Any]


@pytest.fixture
def source(database_url: str, make: Make, site: SourceSite, llm: ScriptedLlm) -> KnowledgeSource:
    """Three pages that the next delivery no longer has, and a model that gives each document back."""
    llm.answer_with(lambda body, _: says(shown(body)), purpose=PURPOSE)
    site.answers["/api"] = data(OLD)
    made = make("api_pull", url=site.url("/api"), replace_missing=True, ai_cleanup=True)
    assert sync(made).pages_created == 3
    site.answers["/api"] = data(NEW)
    return made


def shown(body: dict[str, Any]) -> str:
    """The document a model was given."""
    content: str = body["messages"][1]["content"]
    return content.partition("BEGIN DOCUMENT\n")[2].rpartition("\nEND DOCUMENT")[0]


@contextmanager
def in_fetch(site: SourceSite, llm: ScriptedLlm) -> Iterator[Stage]:
    stage, whole = Stage(), site.answer

    def held(asked: Any) -> Answer:
        answer = whole(asked)
        stage.hold()
        return answer

    site.answer = held  # type: ignore[method-assign]
    yield stage
    site.answer = whole  # type: ignore[method-assign]


@contextmanager
def in_cleaning(llm: ScriptedLlm, *, number: int) -> Iterator[Stage]:
    stage = Stage()

    def held(body: dict[str, Any], _: object) -> Reply:
        if f"new-{number}" in shown(body):
            stage.hold()
        return says(shown(body))

    llm.answer_with(held, purpose=PURPOSE)
    yield stage


@contextmanager
def in_embedding(site: SourceSite, llm: ScriptedLlm) -> Iterator[Stage]:
    stage = Stage()

    def refuses(_: str) -> bool:
        stage.hold()
        return False

    llm.embedding.refuses = refuses
    yield stage
    llm.embedding.refuses = lambda _: False


@contextmanager
def in_the_database(event: str) -> Iterator[Stage]:
    """The statement waits inside the worker's transaction, which dies with the worker."""
    stage = Stage()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION test_hold() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN PERFORM pg_advisory_xact_lock({LOCK}); RETURN NEW; END $$;"
            f" CREATE TRIGGER test_hold BEFORE {event} FOR EACH ROW EXECUTE FUNCTION test_hold()"
        )
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as admin:
        known = {**connection.get_connection_params()}
        with psycopg.connect(admin.info.dsn, dbname=known["dbname"], autocommit=True) as holder:
            holder.execute(f"SELECT pg_advisory_lock({LOCK})")
            watcher = threading.Thread(target=_watch, args=[holder, stage], daemon=True)
            watcher.start()
            yield stage
            watcher.join(10)
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION test_hold CASCADE")


def _watch(holder: psycopg.Connection[Any], stage: Stage) -> None:
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
    while not stage.is_open.is_set():
        found = holder.execute(waits, [LOCK]).fetchone()
        if found and found[0]:
            stage.reached.set()
        time.sleep(0.02)
    holder.execute(f"SELECT pg_advisory_unlock({LOCK})")


STAGES: dict[str, StageOf] = {
    "fetching": in_fetch,
    "cleaning the first": lambda site, llm: in_cleaning(llm, number=0),
    "cleaning the fourth": lambda site, llm: in_cleaning(llm, number=3),
    "storing": lambda site, llm: in_the_database("INSERT ON knowledge_chunks"),
    "embedding": in_embedding,
    "deleting": lambda site, llm: in_the_database("INSERT ON knowledge_trash"),
    "settling": lambda site, llm: in_the_database("UPDATE OF finished_at ON knowledge_sync_runs"),
}


def kill_at(stage: Stage, *, database_url: str, llm: ScriptedLlm) -> None:
    """Starts a worker and kills it once it is there."""
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "jobs", "run", QUEUE],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": database_url,
            "OPENROUTER_BASE_URL": llm.base_url,
            "OPENROUTER_API_KEY": "test-key",
        },
        stdout=subprocess.DEVNULL,
    )
    try:
        assert stage.reached.wait(60), "the worker never got there"
    finally:
        worker.kill()
        worker.wait()
        stage.is_open.set()


@pytest.mark.parametrize("stage_of", STAGES.values(), ids=STAGES)
def test_the_next_run_finishes(
    source: KnowledgeSource, site: SourceSite, llm: ScriptedLlm, database_url: str, stage_of: StageOf
) -> None:
    run = request_sync(source.pk)
    with stage_of(site, llm) as stage:
        kill_at(stage, database_url=database_url, llm=llm)
    run.refresh_from_db()
    assert run.status == "running"

    assert take_back_silent(silent_seconds=0) == 1
    run_due(QUEUE)
    run.refresh_from_db()
    assert (run.status, run.error) == ("succeeded", None)
    assert (run.pages_created, run.pages_updated, run.pages_unchanged, run.pages_deleted) == (6, 0, 0, 3)
    assert job_of(run).attempts == 2
    stored = sorted(KnowledgePage.objects.values_list("external_id", flat=True))
    assert stored == [f"new-{number}" for number in range(6)]
    assert KnowledgeChunk.objects.count() == 6
    assert not KnowledgeChunk.objects.filter(embedding__isnull=True).exists()
    assert KnowledgeTrash.objects.count() == 3
    assert not KnowledgeSyncRun.objects.filter(status="running").exists()
    source.refresh_from_db()
    assert source.consecutive_failures == 0
