"""The real worker command with one queue, whose consuming loop stands still while a file exists.

``HELD_BY`` names the file; the heartbeat lives for seconds instead of a quarter of a minute.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from celery import bootsteps

from root_platform import workers

from apps.foundation.broker import app  # isort: skip
from apps.tenancy.jobs import Job, heartbeat, registry  # isort: skip


class Holding(bootsteps.StartStopStep):
    """Looks at the file from within the loop, and stays there."""

    requires = ("celery.worker.consumer.connection:Connection",)

    def start(self, consumer: Any) -> None:
        consumer.timer.call_repeatedly(0.1, hold)


def hold() -> None:
    """Returns once the file is gone."""
    while Path(os.environ["HELD_BY"]).exists():
        time.sleep(0.02)


def nothing(job: Job) -> None:
    """A handler without effect."""


def main() -> None:
    """One queue, short times."""
    registry._handlers.clear()
    registry.handler("notifications")(nothing)
    heartbeat.EVERY_SECONDS, heartbeat.LIVES_SECONDS = 0.3, 2
    app.steps["consumer"].add(Holding)
    workers.main()


if __name__ == "__main__":
    main()
