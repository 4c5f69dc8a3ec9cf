"""ROOT_RUN_WORKERS: the web process starts the worker command as its child (contract §0.2, §16)."""

import subprocess
import sys
from pathlib import Path

STOP_SECONDS = 15.0
_ROOT = Path(__file__).resolve().parent.parent


def start() -> "subprocess.Popen[bytes]":
    """Starts the fleet; it ends with this process, whatever ends it."""
    return subprocess.Popen([sys.executable, "-m", "root_platform.workers", "--with-parent"], cwd=_ROOT)


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Asks it to end and waits; running jobs finish or go back to the table."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
