"""Why a sync cannot go on, in a sentence for the administrator of the source (contract §11.2)."""

from __future__ import annotations

from apps.foundation.errors import Unavailable


class SyncFailure(Unavailable):
    """The source brought nothing usable. ``retryable`` is true only if trying again soon may help."""

    code = "sync_failed"

    def __init__(self, message: str, *, retryable: bool = False, http_status: int | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.http_status = http_status


class RunOver(Exception):
    """The run, its source or its tenant went away while it was worked on: nothing is left to do."""
