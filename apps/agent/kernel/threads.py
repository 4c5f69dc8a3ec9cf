"""Threads for tool calls, kept for a moment after use: starting one costs more than a quick tool (contract §4.3).

There are as many as calls under way, so a tool that never returns takes its thread with it and holds up nobody.
"""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

IDLE_SECONDS = 10.0

Job = Callable[[], None]


class Threads:
    """Daemons all: a tool that never returns must not keep the process from ending."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self.forget()

    def forget(self) -> None:
        """In a forked process: the threads stayed behind with the parent."""
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Job]] = []

    @property
    def idle(self) -> int:
        return len(self._idle)

    def run(self, job: Job) -> None:
        """Starts the job and returns. The job must not raise; a RuntimeError says no thread could be had."""
        with self._lock:
            if self._idle:
                self._idle.pop().put(job)
                return
        threading.Thread(target=self._live, args=([job],), name="tool-call", daemon=True).start()

    def _live(self, first: list[Job]) -> None:
        inbox: SimpleQueue[Job] = SimpleQueue()
        inbox.put(first.pop())
        while self._serve(inbox):
            with self._lock:
                self._idle.append(inbox)

    def _serve(self, inbox: SimpleQueue[Job]) -> bool:
        """One job in a frame of its own, so that an idle thread holds on to nothing of it."""
        job = self._next(inbox)
        if job is not None:
            job()
        return job is not None

    def _next(self, inbox: SimpleQueue[Job]) -> Job | None:
        try:
            return inbox.get(timeout=self._idle_seconds)
        except Empty:
            # Jobs are handed over under the lock: either one is there by now, or none will come.
            with self._lock:
                if inbox in self._idle:
                    self._idle.remove(inbox)
                return None if inbox.empty() else inbox.get_nowait()


THREADS = Threads()
os.register_at_fork(after_in_child=THREADS.forget)
