"""Criterion 5 as programs see it: pushes over HTTP, worked on by real workers, their runs read over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apps.knowledge.sync.requests import QUEUE
from apps.tenancy.models import Tenant
from tests.acceptance.program import Program, program_of
from tests.fakes.llm import ScriptedLlm
from tests.knowledge.sync.conftest import document
from tests.tenancy.jobs.processes import Fleet, until

pytestmark = pytest.mark.serial
COUNTERS = ("pages_created", "pages_updated", "pages_unchanged", "pages_deleted")
DOCUMENTS = [{**document(number), "external_id": f"rule-{number}"} for number in range(20)]


@pytest.fixture
def program(
    committed_db: None, tenant: Tenant, llm: ScriptedLlm, fleet_of: Callable[..., Fleet]
) -> Iterator[Program]:
    with program_of(tenant) as asking:
        fleet_of(QUEUE).start()
        yield asking


@pytest.fixture
def source(program: Program) -> str:
    body = {"source_key": "handbook", "name": "Handbook", "source_kind": "api_push"}
    return str(program.ask("POST", "/kb/sources", body, status=201)["id"])


def push(program: Program, documents: list[dict[str, Any]], **options: Any) -> str:
    body = {"source": {"key": "handbook"}, "documents": documents, "options": options}
    queued = program.ask("POST", "/kb/sync", body, status=202)
    assert (queued["status"], queued["trigger_type"]) == ("queued", "api")
    return str(queued["id"])


def settled(program: Program, source: str, run: str) -> dict[str, Any]:
    """The run once it is over."""

    def now() -> dict[str, Any]:
        runs = program.ask("GET", f"/kb/sources/{source}/runs")["items"]
        return next(each for each in runs if each["id"] == run)

    until(lambda: now()["status"] not in ("queued", "running"), "the run ends", patience=120)
    return now()


def counted(run: dict[str, Any]) -> tuple[int, ...]:
    assert (run["status"], run["error"]) == ("succeeded", None)
    return tuple(run[name] for name in COUNTERS)


def test_created_skipped_updated_and_deleted(program: Program, source: str, llm: ScriptedLlm) -> None:
    assert counted(settled(program, source, push(program, DOCUMENTS))) == (20, 0, 0, 0)
    llm.requests.clear()
    assert counted(settled(program, source, push(program, DOCUMENTS))) == (0, 0, 20, 0)
    assert llm.requests == []
    edited = {**DOCUMENTS[7], "content_text": "The seventh gate is opened at eight by the captain."}
    changed = [*DOCUMENTS[:7], edited, *DOCUMENTS[8:19]]
    last = settled(program, source, push(program, changed, replace_missing=True))
    assert counted(last) == (0, 1, 18, 1)
    listed = program.ask("GET", "/kb/pages?source_type=api_push&limit=100")["items"]
    assert sorted(page["external_id"] for page in listed) == sorted(f"rule-{n}" for n in range(19))
    found = program.ask("POST", "/kb/search", {"query": "captain", "limit": 1})["results"]
    assert "captain" in found[0]["text"]
    assert len(program.ask("GET", f"/kb/sources/{source}/runs")["items"]) == 3


def test_of_two_pushes_at_once_one_runs(program: Program, source: str, llm: ScriptedLlm) -> None:
    begun, gate = threading.Event(), threading.Event()

    def waits(_: str) -> bool:
        begun.set()
        gate.wait(60)
        return False

    llm.embedding.refuses = waits
    first = push(program, DOCUMENTS[:3])
    assert begun.wait(60)
    second = settled(program, source, push(program, DOCUMENTS[3:6]))
    assert second["status"] == "failed" and "is active" in second["error"]
    gate.set()
    assert counted(settled(program, source, first)) == (3, 0, 0, 0)
    listed = program.ask("GET", "/kb/pages")["items"]
    assert sorted(page["external_id"] for page in listed) == ["rule-0", "rule-1", "rule-2"]
    assert program.ask("GET", f"/kb/sources/{source}")["status"] == "active"
