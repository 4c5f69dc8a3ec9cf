"""A child that ends with its parent, even when the parent is killed outright."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """For ``preexec_fn``: where the system can, SIGTERM follows the parent's death."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
