"""The runs of this process: their beats, their limits, and their orderly end (contract §13)."""

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.foundation import queues
from apps.foundation.database import give_back
from apps.tenancy.jobs import settle
from apps.tenancy.jobs.job import Job

log = logging.getLogger(__name__)

HUNG_EXIT_CODE = 70

_HELD = """
SELECT id FROM queue_jobs WHERE state = 'running' AND (id, fence) IN (
    SELECT * FROM unnest(%s::uuid[], %s::bigint[]))
"""
# A row locked by its own fenced transaction is alive; waiting for it would delay everybody's beat.
_BEAT = """
UPDATE queue_jobs SET beat_at = statement_timestamp() WHERE id IN (
    SELECT id FROM queue_jobs WHERE state = 'running' AND (id, fence) IN (
        SELECT * FROM unnest(%s::uuid[], %s::bigint[]))
    FOR NO KEY UPDATE SKIP LOCKED)
"""


@dataclass(frozen=True, slots=True)
class _Run:
    job: Job
    started: float

    def overdue_by(self) -> float:
        return time.monotonic() - self.started - self.job.queue.max_seconds


class Runs:
    """Keeps what this process runs. One instance a process; the forked child's is empty."""

    def __init__(self) -> None:
        self._runs: dict[int, _Run] = {}
        self._at_work = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._beater: threading.Thread | None = None
        self.exits_when_hung = False

    @property
    def stopping(self) -> bool:
        """True once this process was asked to end: nothing new is claimed."""
        return self._stopping.is_set()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """From before a claim to the end of its run: a claim under way when the stop comes is waited for too."""
        with self._changed:
            self._at_work += 1
        try:
            yield
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()

    @contextmanager
    def active(self, job: Job) -> Iterator[None]:
        """Beats for the job until the block ends."""
        with self._changed:
            self._runs[id(job)] = _Run(job, time.monotonic())
            self._start_beater()
        if self.stopping:
            job.halt()
        try:
            yield
        finally:
            with self._changed:
                del self._runs[id(job)]
                self._changed.notify_all()

    def stop(self) -> None:
        """Claims nothing any more and asks every run to end."""
        self._stopping.set()
        for run in self._snapshot():
            run.job.halt()

    def resume(self) -> None:
        """Claims again: for a pool that is stopped and started within one process."""
        self._stopping.clear()

    def wait_idle(self, seconds: float) -> bool:
        """Waits until nothing runs and nobody claims; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs and not self._at_work, timeout=seconds)

    def hand_back_all(self) -> int:
        """Returns what still runs, for the process is about to end; gives the number of rows."""
        count = 0
        for run in self._snapshot():
            count += _cut_off(run.job)
        return count

    def beat(self) -> None:
        """One beat for every run within its limit; runs whose claim is lost are asked to end."""
        fresh = [run.job for run in self._snapshot() if run.overdue_by() <= 0]
        for run in self._snapshot():
            if run.overdue_by() > 0:
                run.job.halt()
        if fresh:
            self._write(fresh)
        if self.exits_when_hung and self._only_hung():
            log.error("every running job is past its limit; this worker makes room for a new one")
            os._exit(HUNG_EXIT_CODE)

    def _write(self, jobs: list[Job]) -> None:
        pairs: list[Any] = [[job.id for job in jobs], [job.fence for job in jobs]]
        with connection.cursor() as cursor:
            cursor.execute(_HELD, pairs)
            held = {found[0] for found in cursor.fetchall()}
            cursor.execute(_BEAT, pairs)
        for job in jobs:
            if job.id not in held:
                job.halt()

    def _only_hung(self) -> bool:
        runs = self._snapshot()
        return bool(runs) and all(run.overdue_by() > queues.SILENT_SECONDS for run in runs)

    def _snapshot(self) -> list[_Run]:
        with self._changed:
            return list(self._runs.values())

    def _start_beater(self) -> None:
        if self._beater is None or not self._beater.is_alive():
            self._beater = threading.Thread(target=self._beat_for_ever, name="job-beats", daemon=True)
            self._beater.start()

    def _beat_for_ever(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._runs))
            time.sleep(queues.BEAT_SECONDS)
            try:
                self.beat()
            except Exception:
                log.exception("a beat failed; the next one follows")
            finally:
                give_back()


def _cut_off(job: Job) -> bool:
    """A run that may not be repeated and saved no checkpoint ends as lost, like after a crash."""
    try:
        if job.queue.attempts > 1 or job.checkpoint is not None:
            return settle.hand_back(job, error="cut off by a restart")
        return settle.take_back(job, "cut off by a restart")
    except Exception:
        log.exception("job %s could not be handed back; its silence will return it", job.id)
        return False


runs = Runs()
