"""ROOT_RUN_WORKERS: the web process starts the worker command as its child (contract §0.2, §16)."""

import atexit
import os
import subprocess
import sys
from pathlib import Path

from apps.foundation import broker
from apps.foundation.environment import env
from apps.tenancy.jobs import inline

STOP_SECONDS = 15.0
_ROOT = Path(__file__).resolve().parent.parent


def begin() -> None:
    """What a web process does about jobs as it starts: its own workers, or its own pool without Redis."""
    if not broker.configured():
        inline.wake()
    elif env().root_run_workers:
        atexit.register(stop, start())


def start(module: str = "root_platform.workers") -> "subprocess.Popen[bytes]":
    """Starts the fleet; it ends with this process, whatever ends it.

    Call it from the main thread: the kernel ties the fleet to the thread that started it.
    """
    command = [sys.executable, "-m", module, "--with-parent", str(os.getpid())]
    return subprocess.Popen(command, cwd=_ROOT)  # noqa: S603 -- our own interpreter and module


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Asks it to end and waits; running jobs finish or go back to the table."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
