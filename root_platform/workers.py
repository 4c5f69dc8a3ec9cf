"""``python -m root_platform.workers``: a process a handled queue, and the scheduler (contract §0.2, §13)."""

import argparse
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from root_platform import celery  # noqa: F401 -- loads Django and all handlers once, before any fork
from root_platform.parenthood import Leash, die_with_parent

from django.db import DatabaseError, connection  # isort: skip
from apps.foundation import broker, queues  # isort: skip
from apps.foundation.environment import env  # isort: skip
from apps.tenancy.jobs import registry, worker  # isort: skip
from apps.tenancy.jobs.scheduler import Scheduler  # isort: skip

log = logging.getLogger("root.workers")

STOP_SECONDS = 10.0
SCHEDULER_CONNECTIONS = 4
POLL_SECONDS = 0.2
RESTART_SECONDS = (0.5, 30.0)
STEADY_SECONDS = 30.0


@dataclass
class Child:
    """One process to keep alive."""

    name: str
    body: Callable[[], None]
    pid: int = 0
    started: float = 0.0
    rest: float = RESTART_SECONDS[0]
    due: float = field(default=0.0)


class Supervisor:
    """Forks the children, restarts what dies, and takes everything down with it."""

    def __init__(self, children: list[Child]) -> None:
        self._children = children
        self._stopping = False
        self._leash = Leash()

    def run(self, *, parent: int | None = None) -> None:
        """Until SIGTERM or SIGINT, or until the parent is gone if the processes belong to one."""
        signal.signal(signal.SIGTERM, self._ask_to_stop)
        signal.signal(signal.SIGINT, self._ask_to_stop)
        while not self._stopping and parent in (None, os.getppid()):
            self._reap()
            self._start_due()
            time.sleep(POLL_SECONDS)
        self._stop_all()

    def _ask_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _start_due(self) -> None:
        for child in self._children:
            if not child.pid and time.monotonic() >= child.due and not self._stopping:
                self._fork(child)

    def _fork(self, child: Child) -> None:
        child.started = time.monotonic()
        pid = os.fork()
        if pid:
            child.pid = pid
            log.info("%s started as process %s", child.name, pid)
            return
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._leash.hold()
            child.body()
            code = 0
        except BaseException:
            log.exception("%s ended with an error", child.name)
        finally:
            logging.shutdown()
            os._exit(code)

    def _reap(self) -> None:
        for child in self._children:
            if not child.pid or not _has_ended(child.pid):
                continue
            log.warning("%s (process %s) ended and is started again", child.name, child.pid)
            steady = time.monotonic() - child.started > STEADY_SECONDS
            child.rest = RESTART_SECONDS[0] if steady else min(child.rest * 2, RESTART_SECONDS[1])
            child.pid, child.due = 0, time.monotonic() + child.rest

    def _stop_all(self) -> None:
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while self._running() and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS / 4)
        self._signal_all(signal.SIGKILL)
        while self._running():
            time.sleep(POLL_SECONDS / 4)

    def _running(self) -> bool:
        for child in self._children:
            if child.pid and _has_ended(child.pid):
                child.pid = 0
        return any(child.pid for child in self._children)

    def _signal_all(self, number: int) -> None:
        for child in self._children:
            if child.pid:
                os.kill(child.pid, number)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def fleet() -> list[Child]:
    """The children this installation needs: queues nobody handles get none."""
    workers = [Child(f"worker {row.name}", partial(_consume, row)) for row in registry.handled()]
    return [*workers, Child("scheduler", _schedule)]


def _consume(row: queues.Queue) -> None:
    _bound_pool(_connections(row))
    worker.consume(row)


def _schedule() -> None:
    _bound_pool(SCHEDULER_CONNECTIONS)
    logging.getLogger("celery.beat").setLevel(logging.WARNING)
    scheduler = Scheduler()
    signal.signal(signal.SIGTERM, lambda *_: scheduler.stop())
    _report_connections()
    scheduler.run()


def _connections(row: queues.Queue) -> int:
    """Each run may use a thread or two beside its own; beats and closing need a few."""
    return 2 * queues.width(row) + 4


def _report_connections() -> None:
    """Says how many database connections all pools may take, and warns when the server offers fewer."""
    most = env().root_db_pool_size + SCHEDULER_CONNECTIONS + sum(map(_connections, registry.handled()))
    log.info("at most %s database connections, those of one web process included", most)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW max_connections")
            offered = int(cursor.fetchone()[0])
    except DatabaseError:
        return
    finally:
        connection.close()
    if most > offered:
        log.warning(
            "the database offers only %s connections; lower ROOT_DB_POOL_SIZE or raise it there", offered
        )


def _bound_pool(most: int) -> None:
    """A small process needs few connections; all of them together must stay below the server's limit."""
    pool = connection.settings_dict["OPTIONS"].get("pool")
    if isinstance(pool, dict):
        pool["max_size"] = min(most, pool.get("max_size", most))


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m root_platform.workers", description=__doc__)
    parser.add_argument("--with-parent", type=int, metavar="PID", help="end when this parent process ends")
    options = parser.parse_args()
    if options.with_parent is not None:
        die_with_parent()
    if not broker.configured():
        sys.exit("Workers need REDIS_URL. Without it, jobs run inside the web process.")
    gc.collect()
    gc.freeze()
    Supervisor(fleet()).run(parent=options.with_parent)


if __name__ == "__main__":
    main()
