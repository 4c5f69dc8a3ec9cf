"""Child processes that are started together and never outlive their parent."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from scripts.embedded.leash import end_with_parent

STOP_SECONDS = 15.0


class ChildDied(Exception):
    """A child ended by itself; the message says which, and where it wrote why."""


class Children:
    """Started children by name, each with a log file of its own."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, name: str, command: list[str], *, environment: Mapping[str, str]) -> None:
        """Starts one child in a session of its own, so that Ctrl-C reaches the parent first."""
        with (self._logs / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                command,
                env=dict(environment),
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509 - no threads are started before this
            )

    def check(self) -> None:
        """Raises :class:`ChildDied` when any child has ended."""
        for name, child in self._running.items():
            if child.poll() is not None:
                raise ChildDied(f"{name} ended with status {child.returncode}.\n{self.last_lines(name)}")

    def last_lines(self, name: str, *, count: int = 15) -> str:
        """The end of a child's log."""
        text = (self._logs / f"{name}.log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-count:])

    def wait_for(self, condition: Callable[[], bool], *, what: str, seconds: float = 90.0) -> None:
        """Polls until a condition holds; raises :class:`ChildDied` when a child ends or time runs out."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.check()
            if time.monotonic() > deadline:
                raise ChildDied(f"{what} was not ready after {seconds:.0f} s; see {self._logs}.")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends every child: politely, then not."""
        for child in reversed(self._running.values()):
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._running.values():
            try:
                child.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self._running.clear()
