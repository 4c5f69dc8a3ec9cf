"""No process is left behind: children end when their parent does, even by ``kill -9`` (contract §0.2)."""

import ctypes
import os
import signal
import sys
import threading
import time

GRACE_SECONDS = 12.0
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Linux: the kernel sends SIGTERM when the parent is gone. Elsewhere nothing; the leash holds.

    The kernel means the thread that started this process, so a main thread has to start it.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Leash:
    """A pipe whose writing end only the parent keeps: its end of file says that the parent is gone."""

    def __init__(self) -> None:
        self._parent = os.getpid()
        self._read, self._write = os.pipe()

    def hold(self) -> None:
        """Called in a forked child, first thing."""
        os.close(self._write)
        die_with_parent()
        if os.getppid() != self._parent:
            os._exit(1)
        threading.Thread(target=self._watch, name="leash", daemon=True).start()

    def _watch(self) -> None:
        while os.read(self._read, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)
