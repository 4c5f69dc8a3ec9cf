"""Jobs in the calling process, where no Redis is configured (contract §13)."""

import atexit
import logging
import os
import threading

from apps.foundation import queues

log = logging.getLogger(__name__)

STOP_SECONDS = 8.0


class InlinePool:
    """The dispatcher and its threads. Threads are daemons: rows outlive them, so nothing waits for ever."""

    def __init__(self) -> None:
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._busy: dict[str, int] = {}
        self._thread: threading.Thread | None = None
        self._pid = 0

    def wake(self) -> None:
        """Makes the dispatcher look now; starts it with the first call."""
        with self._lock:
            if self._thread is None or self._pid != os.getpid() or not self._thread.is_alive():
                self._start()
        self._wake.set()

    def stop(self) -> None:
        """Ends the dispatcher and hands back what does not end soon."""
        from apps.tenancy.jobs.runs import runs

        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is None or self._pid != os.getpid():
            return
        runs.stop()
        thread.join(STOP_SECONDS)
        if not runs.wait_idle(STOP_SECONDS):
            log.warning("%s jobs handed back", runs.hand_back_all())
        self._thread = None

    def deliver(self, row: queues.Queue, due: int) -> None:
        """Starts threads for due rows, up to the queue's width."""
        for _ in range(due):
            with self._lock:
                if self._busy.get(row.name, 0) >= queues.width(row):
                    return
                self._busy[row.name] = self._busy.get(row.name, 0) + 1
            threading.Thread(target=self._drain, args=[row.name], name=f"job-{row.name}", daemon=True).start()

    def _start(self) -> None:
        from apps.tenancy.jobs import registry
        from apps.tenancy.jobs.dispatch import Dispatcher
        from apps.tenancy.jobs.runs import runs

        registry.autodiscover()
        runs.resume()
        self._stop, self._wake, self._busy = threading.Event(), threading.Event(), {}
        self._pid = os.getpid()
        self._thread = threading.Thread(
            target=Dispatcher(self.deliver).run,
            args=[self._stop],
            kwargs={"wake": self._wake},
            name="job-dispatcher",
            daemon=True,
        )
        self._thread.start()
        atexit.register(self.stop)

    def _drain(self, name: str) -> None:
        from apps.tenancy.jobs.run import drain

        try:
            drain(name)
        except Exception:
            log.exception("a thread of %s ended early; the dispatcher starts another", name)
        finally:
            with self._lock:
                self._busy[name] = max(0, self._busy.get(name, 0) - 1)


pool = InlinePool()


def wake() -> None:
    """Tells this process's own pool that something may be due."""
    pool.wake()
