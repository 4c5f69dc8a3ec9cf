"""``manage.py jobs``: what an operator sees and does, and the sentences for what cannot be done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.foundation.errors import Unavailable
from apps.tenancy.context import current_tenant, tenant_context
from apps.tenancy.jobs import GiveUp, Job, Later, enqueue
from apps.tenancy.models import QueueJob, Tenant
from tests.tenancy.jobs.conftest import Handle, make_due, only, rows

QUEUE = "conversation-memory"
ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "k\n\x1b[2J\u202efailed \u2066"


def jobs(*given: str) -> str:
    out = StringIO()
    call_command("jobs", *given, stdout=out)
    return out.getvalue()


def listed(*given: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(jobs("list", "--json", *given))
    return told


def keys(*given: str) -> list[str]:
    return [row["key"] for row in listed(*given)["rows"]]


def standing(queue: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in listed()["queues"] if each["queue"] == queue)
    return found


def test_the_list_shows_queues_and_rows(in_tenant: Tenant) -> None:
    job_id = enqueue(QUEUE, key="member-7", payload={"words": "private words"})
    QueueJob.objects.filter(pk=job_id).update(run_after=timezone.now() - timedelta(seconds=90))
    text = jobs("list")
    line = next(line for line in text.splitlines() if line.startswith(QUEUE))
    assert line.split()[1] == "1" and 90 <= int(line.split()[2]) < 150
    row = next(line for line in text.splitlines() if line.startswith("waiting"))
    assert row.split()[:4] == ["waiting", QUEUE, "harbour", "0/3"]
    assert row.endswith("member-7")
    assert "private words" not in text + jobs("list", "--json")


def test_machines_get_depth_lag_running_and_failed(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise GiveUp("no use")

    handle(QUEUE, run)
    enqueue(QUEUE, key="lost", payload={})
    with pytest.raises(CommandError):
        jobs("run", QUEUE)
    enqueue(QUEUE, key="soon", payload={}, delay=timedelta(minutes=5))
    enqueue(QUEUE, key="now", payload={})
    found = standing(QUEUE)
    assert (found["depth"], found["resting"], found["running"], found["failed"]) == (1, 1, 0, 1)
    assert found["handled"] is True
    row = next(row for row in listed()["rows"] if row["key"] == "lost")
    assert (row["state"], row["tenant"], row["attempts"], row["error"]) == ("failed", "harbour", 1, "no use")


def test_rows_are_chosen_by_queue_state_and_tenant(
    tenant: Tenant, other_tenant: Tenant, handle: Handle
) -> None:
    handle(QUEUE, lambda job: None)
    with tenant_context(tenant):
        enqueue(QUEUE, key="done", payload={})
        jobs("run", QUEUE)
        enqueue(QUEUE, key="a", payload={})
    with tenant_context(other_tenant):
        enqueue(QUEUE, key="b", payload={})
        enqueue("notifications", key="c", payload={})
    assert keys() == ["c", "b", "a"]
    assert keys("--queue", QUEUE) == ["b", "a"]
    assert keys("--tenant", "mill") == ["c", "b"]
    assert keys("--state", "done") == ["done"]
    assert keys("--queue", QUEUE, "--tenant", "mill", "--state", "waiting") == ["b"]
    assert keys("--limit", "1") == ["c"]
    assert "… and 2 more." in jobs("list", "--limit", "1")


def test_rows_of_a_name_nobody_knows_can_be_listed(in_tenant: Tenant) -> None:
    QueueJob.objects.create(queue="mail-in", key="stray", tenant=in_tenant)
    assert keys("--queue", "mail-in") == ["stray"]
    assert "a name this release does not know" in jobs("list")


def test_hostile_text_is_shown_escaped(in_tenant: Tenant, handle: Handle) -> None:
    QueueJob.objects.create(queue=QUEUE, key=HOSTILE, tenant=in_tenant, error=HOSTILE)
    text = jobs("list")
    assert not set(text) & {"\x1b", "\u202e", "\u2066"}
    assert not [line for line in text.splitlines() if line.startswith("\\u001b")]
    assert r"k\n\u001b[2J\u202efailed \u2066" in text
    assert keys() == [HOSTILE]
    handle(QUEUE, lambda job: None)
    enqueue(QUEUE, key=HOSTILE, payload={}, delay=timedelta(minutes=5))
    ran = jobs("run", QUEUE, "--key", HOSTILE)
    assert r"\u202efailed" in ran and "1 run." in ran
    assert not set(ran) & {"\x1b", "\u202e", "\u2066"}


def test_run_works_here_and_now_in_each_rows_tenant(
    tenant: Tenant, other_tenant: Tenant, handle: Handle
) -> None:
    seen: list[str] = []
    handle(QUEUE, lambda job: seen.append(current_tenant().slug))
    for each in (tenant, other_tenant):
        with tenant_context(each):
            enqueue(QUEUE, payload={})
            enqueue(QUEUE, payload={}, delay=timedelta(minutes=5))
    text = jobs("run", QUEUE)
    assert sorted(seen) == ["harbour", "mill"]
    assert text.count(": done") == 2 and text.endswith("2 run.\n")
    assert sorted(row.state for row in rows(QUEUE)) == ["done", "done", "waiting", "waiting"]


def test_a_key_runs_before_it_is_due_and_alone(in_tenant: Tenant, handle: Handle) -> None:
    seen: list[str] = []
    handle(QUEUE, lambda job: seen.append(job.key))
    for key in ("a", "b"):
        enqueue(QUEUE, key=key, payload={}, delay=timedelta(minutes=5))
    jobs("run", QUEUE, "--key", "a")
    assert seen == ["a"]


def test_a_long_key_is_found_as_it_was_asked_for(in_tenant: Tenant, handle: Handle) -> None:
    seen: list[str] = []
    handle(QUEUE, lambda job: seen.append(job.key))
    enqueue(QUEUE, key="k" * 900, payload={}, delay=timedelta(minutes=5))
    jobs("run", QUEUE, "--key", "k" * 900)
    assert len(seen) == 1


def test_a_failure_is_one_attempt_and_exit_status_one(in_tenant: Tenant, handle: Handle) -> None:
    def run(job: Job) -> None:
        raise Unavailable("The model does not answer.")

    handle(QUEUE, run)
    enqueue(QUEUE, key="k", payload={}, delay=timedelta(minutes=5))
    with pytest.raises(CommandError, match="1 of 1 did not end well"):
        jobs("run", QUEUE, "--key", "k")
    assert (only(QUEUE).state, only(QUEUE).attempts) == ("retrying", 1)


@pytest.mark.parametrize("named", [False, True])
def test_a_job_that_asks_for_time_does_not_keep_the_terminal(
    in_tenant: Tenant, handle: Handle, named: bool
) -> None:
    def run(job: Job) -> None:
        raise Later

    handle(QUEUE, run)
    enqueue(QUEUE, key="k", payload={})
    jobs("run", QUEUE, *(["--key", "k"] if named else []))
    assert only(QUEUE).state == "retrying"


def test_nothing_to_run_is_said(db: None, handle: Handle) -> None:
    handle(QUEUE, lambda job: None)
    assert jobs("run", QUEUE) == "Nothing was there to run.\n"


def test_a_tick_is_put_in_once(db: None) -> None:
    assert "waits for a worker" in jobs("tick", "principal-roster-sweep")
    assert "has its tick already" in jobs("tick", "principal-roster-sweep")
    assert [row.tick for row in rows("principal-roster-sweep")] == [True]


def test_time_passes_for_what_waits_and_what_rests(in_tenant: Tenant, handle: Handle) -> None:
    seen: list[str] = []
    handle(QUEUE, lambda job: seen.append(job.key))
    enqueue(QUEUE, key="ten minutes", payload={}, delay=timedelta(minutes=10))
    enqueue(QUEUE, key="an hour", payload={}, delay=timedelta(hours=1))
    enqueue(QUEUE, key="now", payload={})
    assert jobs("advance", "600") == "2 waiting jobs are 600 seconds nearer.\n"
    jobs("run", QUEUE)
    assert sorted(seen) == ["now", "ten minutes"]
    make_due(QUEUE)


def test_time_is_not_moved_in_production(in_tenant: Tenant, settings: Any) -> None:
    enqueue(QUEUE, payload={}, delay=timedelta(minutes=10))
    before = only(QUEUE).run_after
    settings.ENV = settings.ENV.model_copy(update={"node_env": "production"})
    with pytest.raises(CommandError, match="not moved in production"):
        jobs("advance", "600")
    assert only(QUEUE).run_after == before


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["run", "no-such-queue"], "No queue is called no-such-queue"),
        (["run", "a\x1b[2J\nb"], r"No queue is called a\[2J b|No queue is called a"),
        (["tick", "no-such-queue"], "No queue is called"),
        (["tick", "email-inbound"], "has no schedule"),
        (["run", "slack-admin-broadcast"], "works on slack-admin-broadcast yet"),
        (["run", "embedding-audit", "--key", ""], "not empty"),
        (["list", "--queue", "no-such-queue"], "No queue is called"),
        (["list", "--queue", "\udcff"], "No queue is called"),
        (["list", "--state", "finished"], "state is one of waiting, running"),
        (["list", "--tenant", "nobody"], "no such community"),
        (["list", "--tenant", "'; DROP TABLE tenants"], "no such community"),
        (["list", "--limit", "0"], "--limit is a whole number"),
        (["list", "--limit", "9" * 5000], "--limit is a whole number"),
        (["list", "--limit", "²"], "--limit is a whole number"),
        (["advance", "soon"], "SECONDS is a number"),
        (["advance", "nan"], "SECONDS is more than nothing"),
        (["advance", "-5"], "SECONDS is more than nothing"),
        (["advance", "0"], "SECONDS is more than nothing"),
        (["advance", "1e400"], "SECONDS is more than nothing"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_nonsense_gets_a_sentence(db: None, given: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence) as caught:
        jobs(*given)
    assert "\x1b" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_process_says_it_in_one_line_and_exits_with_one(database_url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": database_url, "NODE_ENV": "development"}
    found = subprocess.run(
        [sys.executable, "manage.py", "jobs", "run", "no-such-queue"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("CommandError: No queue is called no-such-queue")
    assert found.stderr.count("\n") == 1
