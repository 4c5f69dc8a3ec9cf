"""What can be seen of the web process from outside: its backends in Postgres, its peak memory."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self

import psycopg

APPLICATION = "root-web"
EVERY_SECONDS = 0.05


class Backends:
    """Counts the web process's backends while a block runs; ``most`` is the highest count seen."""

    def __init__(self, database_url: str) -> None:
        self.most = 0
        self._url = database_url
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        with psycopg.connect(self._url, autocommit=True, application_name="bench") as connection:
            while not self._stop.wait(EVERY_SECONDS):
                row = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [APPLICATION]
                ).fetchone()
                self.most = max(self.most, row[0] if row else 0)


def forget_peak(pid: int) -> None:
    """From here on the peak is counted anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_mb(pid: int) -> float:
    """The most memory the process has held since."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return round(int(line.split()[1]) / 1024, 1)
