"""Our own commands as real processes, none of which outlives its test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


def until(question: Callable[[], Any], what: str) -> None:
    """Polls until the answer is yes."""
    deadline = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Is it there, and not merely waiting to be reaped?"""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    """Children, and theirs."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


class Processes:
    """Starts commands in one environment and ends whatever is left of them."""

    def __init__(self, environment: dict[str, str], *, log: Path = Path("/dev/stderr")) -> None:
        self.environment = environment
        self.log = log
        self._started: list[subprocess.Popen[str]] = []
        self._seen: set[int] = set()

    def start(self, *command: str) -> subprocess.Popen[str]:
        """``start("-m", "module")`` runs a Python module of ours."""
        with self.log.open("a") as log:
            process = subprocess.Popen(
                [sys.executable, *command], cwd=ROOT, env=self.environment, text=True, stdout=log, stderr=log
            )
        self._started.append(process)
        return process

    def web(self) -> Web:
        """A web process, once it listens."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = self.start(
            *("-m", "uvicorn", "root_platform.asgi:application", "--host", "127.0.0.1", "--port", str(port))
        )
        found = Web(process, f"http://127.0.0.1:{port}")
        until(lambda: found.status("/health") is not None or process.poll() is not None, "the web listens")
        return found

    def family(self, pid: int) -> list[int]:
        """The descendants of a process, remembered so that none is left behind."""
        found = descendants(pid)
        self._seen.update(found)
        return found

    def end(self) -> None:
        """Ends everything, the hard way where needed."""
        for process in self._started:
            if process.poll() is None:
                self.family(process.pid)
                process.kill()
                process.wait()
        for pid in filter(alive, self._seen):
            os.kill(pid, signal.SIGKILL)


class Web:
    """A web process and its answers."""

    def __init__(self, process: subprocess.Popen[str], base_url: str) -> None:
        self.process = process
        self.base_url = base_url

    def status(self, path: str) -> int | None:
        """The status of a page; None while nobody answers."""
        try:
            return httpx.get(self.base_url + path, timeout=10).status_code
        except httpx.TransportError:
            return None
