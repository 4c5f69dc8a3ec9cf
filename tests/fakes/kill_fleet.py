"""The real worker command with jobs that leave marks one can count: ``python -m tests.fakes.kill_fleet PLAN``.

The plan, JSON, names the queues with a handler and the numbers that are scaled down. A job notes its start,
works, and writes one mark as its effect in a fenced transaction. Each process carries its name: the kernel
shows it, and Postgres lists its connections under it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from root_platform import workers

from django.db import connection  # isort: skip
from apps.foundation import broker, queues  # isort: skip
from apps.tenancy.jobs import Job, LostClaim, registry  # isort: skip

CREATE_MARKS = """
CREATE TABLE job_marks (
    kind text NOT NULL, job text NOT NULL, queue text NOT NULL, attempt int NOT NULL, fence bigint NOT NULL,
    pid int NOT NULL, text text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())
"""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What this fleet is: its queues, and seconds in place of half minutes."""

    handled: list[str]
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    beat_seconds: float = 0.3
    silent_seconds: float = 2.0
    restart_seconds: tuple[float, float] = (0.2, 1.0)
    visibility_seconds: int | None = None

    @property
    def size(self) -> int:
        """A process a queue, and the scheduler."""
        return len(self.handled) + 1

    def as_argument(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))


def mark(job: Job, kind: str) -> None:
    """One line in the table of the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO job_marks (kind, job, queue, attempt, fence, pid, text)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            [kind, job.key, job.queue.name, job.attempt, job.fence, os.getpid(), job.payload.get("text", "")],
        )


def run(job: Job) -> None:
    """Start, work, effect."""
    mark(job, "start")
    if job.payload.get("kills"):
        os.kill(os.getpid(), signal.SIGKILL)
    _wait_at_gate(job)
    time.sleep(job.payload.get("work", 0.0))
    if job.checkpoint is not None:
        return
    try:
        _effect(job)
    except LostClaim:
        mark(job, "refused")
        raise


def _effect(job: Job) -> None:
    """Two ways to be done once: the effect ends the job, or a checkpoint of the same commit remembers it."""
    resumes = job.payload.get("resumes", False)
    with job.fenced(finish=not resumes):
        mark(job, "effect")
        time.sleep(job.payload.get("inside", 0.0))
        if resumes:
            job.save_checkpoint({"written": True})
    time.sleep(job.payload.get("after", 0.0))


def _wait_at_gate(job: Job) -> None:
    gate = job.payload.get("gate")
    if gate is None or job.attempt > job.payload.get("gated_attempts", job.attempt):
        return
    while not Path(gate).exists():
        time.sleep(0.02)


def _named(child: workers.Child) -> workers.Child:
    return replace(child, body=partial(_as_named, child.name.removeprefix("worker "), child.body))


def _as_named(name: str, body: Callable[[], None]) -> None:
    Path("/proc/self/comm").write_text(name[:15])
    os.environ["PGAPPNAME"] = f"{name}:{os.getpid()}"
    body()


def main() -> None:
    """Takes the plan off the command line and becomes the worker command."""
    plan = Plan(**json.loads(sys.argv.pop(1)))
    registry._handlers.clear()
    for name, changes in plan.changed.items():
        queues.QUEUES[name] = replace(queues.QUEUES[name], **changes)
    for name in plan.handled:
        registry.handler(name)(run)
    queues.BEAT_SECONDS, queues.SILENT_SECONDS = plan.beat_seconds, plan.silent_seconds
    workers.RESTART_SECONDS = (plan.restart_seconds[0], plan.restart_seconds[1])
    if plan.visibility_seconds is not None:
        broker.app.conf.broker_transport_options["visibility_timeout"] = plan.visibility_seconds
    whole = workers.fleet
    workers.fleet = lambda: [_named(child) for child in whole()]
    workers.main()


if __name__ == "__main__":
    main()
