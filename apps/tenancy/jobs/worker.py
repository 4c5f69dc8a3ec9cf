"""A Celery worker: drains queues when nudged, shows its heartbeat, ends in order (contract §13, §14.3)."""

import logging
import os
import threading
import warnings
from typing import Any

from celery import bootsteps
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.signals import worker_shutting_down

from apps.foundation import queues
from apps.foundation.broker import NUDGE, app
from apps.tenancy.jobs import heartbeat
from apps.tenancy.jobs.run import drain
from apps.tenancy.jobs.runs import runs

log = logging.getLogger(__name__)

GRACE_SECONDS = 7.0
LAST_SECONDS = 1.5


@app.task(name=NUDGE, ignore_result=True, acks_late=False)
def nudge(queue: str) -> None:
    """Runs everything due in the queue; the message itself may be lost or doubled without harm."""
    drain(queue)


class Heartbeat(bootsteps.StartStopStep):
    """Writes the heartbeat from the loop that consumes messages."""

    requires = ("celery.worker.consumer.connection:Connection",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timer: Any = None

    def start(self, consumer: Any) -> None:
        heartbeat.write()
        self._timer = consumer.timer.call_repeatedly(heartbeat.EVERY_SECONDS, heartbeat.write)

    def stop(self, consumer: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    shutdown = stop


app.steps["consumer"].add(Heartbeat)


@worker_shutting_down.connect(weak=False)
def _end_in_order(**_: Any) -> None:
    """Celery would wait for ever for running tasks; ours get a few seconds, then go back to the table."""
    threading.Thread(target=end_process, name="worker-end", daemon=True).start()


def end_process() -> None:
    """Stops claiming, waits for what runs, hands back the rest and leaves."""
    runs.stop()
    if runs.wait_idle(GRACE_SECONDS):
        # Celery's own end follows within moments; this is for the case that it hangs.
        threading.Event().wait(LAST_SECONDS)
        os._exit(0)
    log.warning("%s jobs handed back at the end of this worker", runs.hand_back_all())
    os._exit(0)


def consume(row: queues.Queue) -> None:
    """Works on one queue until the process is asked to end."""
    runs.exits_when_hung = True
    # Neither applies: nothing here is pickled, and nothing is acknowledged late.
    warnings.simplefilter("ignore", SecurityWarning)
    warnings.simplefilter("ignore", CPendingDeprecationWarning)
    worker = app.Worker(
        hostname=f"{row.name}@{os.uname().nodename}",
        queues=[row.name],
        concurrency=queues.width(row),
        pool="threads",
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
