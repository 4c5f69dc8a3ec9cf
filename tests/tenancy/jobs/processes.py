"""Worker commands as children of a test: started, watched, killed, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60.0


def until(question: Callable[[], Any], what: str, *, patience: float = PATIENCE) -> None:
    """Polls until the answer is yes."""
    deadline = time.monotonic() + patience
    while not question():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Does it still run? What waits to be reaped does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """The processes it forked and still has."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def called(pid: int) -> str:
    """What a process calls itself, cut to the fifteen characters the kernel keeps."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def kill(pid: int) -> None:
    """`kill -9`; one that is gone already is no mistake."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


class Fleet:
    """Starts worker commands and makes sure that none outlives its test."""

    def __init__(
        self,
        environment: dict[str, str],
        *,
        size: int,
        module: str = "tests.fakes.job_fleet",
        arguments: Sequence[str] = (),
    ) -> None:
        self.environment = environment
        self.size = size
        self._command = [sys.executable, "-m", module, *arguments]
        self._started: list[subprocess.Popen[bytes]] = []
        self._seen: set[int] = set()

    @property
    def redis_url(self) -> str:
        return self.environment["REDIS_URL"]

    def start(self) -> subprocess.Popen[bytes]:
        """One more supervisor, once it has forked all its children."""
        process = subprocess.Popen(self._command, cwd=ROOT, env=self.environment)
        self._started.append(process)
        until(lambda: len(children(process.pid)) == self.size, "the fleet has forked")
        self._seen.update(children(process.pid))
        return process

    def member(self, supervisor: subprocess.Popen[bytes], name: str) -> int:
        """The process of that name, waited for while it is being started again."""
        found: list[int] = []

        def there() -> bool:
            found[:] = [pid for pid in children(supervisor.pid) if called(pid) == name[:15] and alive(pid)]
            return bool(found)

        until(there, f"{name} runs")
        self._seen.update(found)
        return found[0]

    def kill_tree(self, supervisor: subprocess.Popen[bytes]) -> None:
        """Everybody at once. The supervisor is stopped first, so that it can neither fork nor warn anyone."""
        os.kill(supervisor.pid, signal.SIGSTOP)
        for pid in children(supervisor.pid):
            kill(pid)
        supervisor.kill()
        supervisor.wait()

    def watch(self, *pids: int) -> None:
        """Processes to end with the test, whoever started them."""
        self._seen.update(pids)

    def end(self) -> None:
        """Whoever is left."""
        for process in self._started:
            if process.poll() is None:
                self._seen.update(children(process.pid))
                process.kill()
                process.wait()
        for pid in filter(alive, self._seen):
            kill(pid)
