"""The scheduler process: beat and dispatcher, while it leads (contract §13)."""

import logging
import threading

import psycopg
from celery import beat

from apps.foundation.broker import app
from apps.tenancy.jobs import carrier
from apps.tenancy.jobs.dispatch import Dispatcher
from apps.tenancy.jobs.lease import Lease
from apps.tenancy.jobs.schedule import TickScheduler, write_beat_rows

log = logging.getLogger(__name__)

TRY_SECONDS = 2.0
WATCH_SECONDS = 1.0


class Scheduler:
    """Waits for the lease, then schedules until it is stopped or the lease is lost."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lease = Lease()
        self._service: beat.Service | None = None

    def stop(self) -> None:
        """Safe in a signal handler."""
        self._stop.set()
        service = self._service
        if service is not None:
            service.stop()

    def run(self) -> None:
        """Returns when stopped, or when another may lead; whoever called starts it anew."""
        if not self._wait_for_lease():
            return
        log.info("this scheduler leads")
        write_beat_rows()
        self._service = beat.Service(app, max_interval=1, scheduler_cls=TickScheduler)
        threads = [
            threading.Thread(target=self._dispatch, name="job-dispatcher", daemon=True),
            threading.Thread(target=self._watch, name="leader-watch", daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            if not self._stop.is_set():
                self._service.start()
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(5)
            self._lease.release()

    def _wait_for_lease(self) -> bool:
        while not self._stop.is_set():
            try:
                if self._lease.acquire():
                    return True
            except psycopg.Error:
                log.warning("the database does not answer; the scheduler waits")
            self._stop.wait(TRY_SECONDS)
        return False

    def _dispatch(self) -> None:
        Dispatcher(lambda row, due: carrier.wake(row, wanted=due)).run(self._stop)

    def _watch(self) -> None:
        while not self._stop.wait(WATCH_SECONDS):
            if not self._lease.held():
                log.error("the leader's lease is lost; this scheduler steps down")
                self.stop()
