"""A database that freezes or drops its connections: requests end soon, no process does, and all goes on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from apps.tenancy.models import QueueJob
from tests.fakes.llm import says
from tests.plugins.community import Community
from tests.root_platform.asking import Asked, ask, conversation
from tests.root_platform.processes import Processes, Web, descendants, until

pytestmark = pytest.mark.serial


@pytest.fixture
def web(house: Processes) -> Web:
    return house.web()


@contextmanager
def frozen_server() -> Iterator[None]:
    """Postgres as a whole stands still, with all its connections open and new ones taken by the kernel."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    connection.close()
    postmaster = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    stopped = [postmaster, *descendants(postmaster)]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def terminate_all() -> None:
    """Ends every connection to this test's database but the one that asks."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
            [connection.settings_dict["NAME"]],
        )
    connection.close()


def waits_for_its_model(community: Community) -> tuple[threading.Event, threading.Event]:
    """Scripts an answer that comes when told to; the first event says that it was asked for."""
    asked, told = threading.Event(), threading.Event()

    def answer(_request: Any, _headers: Any) -> Any:
        asked.set()
        told.wait(60)
        return says("Hello to you, and welcome.")

    community.llm.answer_with(answer)
    return asked, told


def test_a_frozen_database_costs_each_request_a_few_seconds(web: Web, community: Community) -> None:
    assert conversation(web).status_code == 200
    with frozen_server():
        several = [threading.Thread(target=conversation, args=(web,), daemon=True) for _ in range(8)]
        for thread in several:
            thread.start()
        refused = conversation(web)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
        assert web.status("/health") == 503
        for thread in several:
            thread.join(60)
            assert not thread.is_alive()
    until(lambda: conversation(web).status_code == 200, "it answers again")
    until(lambda: web.status("/health") == 200, "it is well again")
    assert web.process.poll() is None


def test_a_turn_that_finds_its_database_frozen_ends_too(web: Web, community: Community) -> None:
    asked, told = waits_for_its_model(community)
    turn = Asked(web)
    assert asked.wait(60), turn.reply or turn.error
    with frozen_server():
        told.set()
        reply = turn.answer()
        assert reply.status_code in {500, 503} and "error" in reply.json()
    until(lambda: ask(web).status_code == 200, "the next turn is answered")


def test_connections_that_are_ended_twice_end_no_process(web: Web, community: Community) -> None:
    community.llm.answer_with(lambda _request, _headers: says("Hello to you, and welcome."))
    assert ask(web).status_code == 200
    for _ in range(2):
        terminate_all()
        assert conversation(web).status_code == 200
        assert ask(web).json()["response"] == "Hello to you, and welcome."
    row = QueueJob.objects.create(queue="embedding-audit", key="k", tenant=community.tenant)
    terminate_all()
    until(lambda: QueueJob.objects.get(pk=row.pk).state == "done", "jobs go on")
    assert web.process.poll() is None


def test_a_turn_outlives_the_connections_it_had(web: Web, community: Community) -> None:
    asked, told = waits_for_its_model(community)
    turn = Asked(web)
    assert asked.wait(60), turn.reply or turn.error
    terminate_all()
    told.set()
    assert turn.answer().json()["response"] == "Hello to you, and welcome."
