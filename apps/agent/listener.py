"""Is anybody still waiting for this turn's answer?"""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """Whoever asked, as far as the turn can tell."""

    def left(self) -> bool:
        """Did the connection go away?"""
        ...

    def cancelled(self) -> bool:
        """Did the person say stop?"""
        ...


class PatientListener:
    """One who waits until the end: a command, a job, a caller without a stream."""

    def left(self) -> bool:
        return False

    def cancelled(self) -> bool:
        return False
