"""The real worker command with a handler of ours and short times: ``python -m tests.fakes.job_fleet``.

A job of ``notifications`` notes its start in the log file, waits for its gate file if it names one, and
leaves one waiting row in ``conversation-memory`` as its effect, in a fenced transaction.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from root_platform import workers

from apps.foundation import queues  # isort: skip
from apps.tenancy.jobs import Job, enqueue, registry  # isort: skip
from apps.tenancy.models import QueueJob  # isort: skip

EFFECTS = "conversation-memory"
HANGING = "conversation-work-saved"


def run(job: Job) -> None:
    """Start, gate, effect."""
    with Path(job.payload["log"]).open("a") as log:
        log.write(f"{job.payload['name']} {job.attempt} {os.getpid()}\n")
    gate = job.payload.get("gate")
    while gate and not Path(gate).exists() and not (job.stopping and job.payload.get("polite")):
        time.sleep(0.02)
    with job.fenced():
        enqueue(EFFECTS, payload={"by": job.payload["name"], "attempt": job.attempt})


def hang(job: Job) -> None:
    """Never looks at anything, until its gate opens."""
    while not Path(job.payload["gate"]).exists():
        time.sleep(0.02)


def tick(job: Job) -> None:
    """A tick without an effect."""
    assert QueueJob.objects.filter(pk=job.id, tick=True).exists()


def main() -> None:
    """Only our handlers, and seconds in place of half minutes."""
    registry._handlers.clear()
    registry.handler("notifications")(run)
    registry.handler("queue-metrics")(tick)
    registry.handler(HANGING)(hang)
    queues.QUEUES[HANGING] = replace(queues.QUEUES[HANGING], max_seconds=1)
    queues.BEAT_SECONDS, queues.SILENT_SECONDS = 0.3, 2.0
    workers.main()


if __name__ == "__main__":
    main()
