"""Stands between Root and Postgres, and can fall silent as a frozen server does, or cut every connection."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from typing import Self
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict


class DatabaseProxy:
    """Listens on 127.0.0.1 and carries bytes both ways while ``flowing`` is set."""

    def __init__(self, database_url: str) -> None:
        self._target = {name: str(value) for name, value in conninfo_to_dict(database_url).items()}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.flowing = threading.Event()
        self.flowing.set()

    @property
    def url(self) -> str:
        """The same database by way of the proxy."""
        port = self._listener.getsockname()[1]
        user = quote(self._target["user"])
        return f"postgresql://{user}@127.0.0.1:{port}/{self._target['dbname']}"

    def cut(self) -> None:
        """Every connection that is open ends at once."""
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        threading.Thread(target=self._take, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.flowing.set()
        self.cut()

    def _take(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = self._connect()
            self._ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _connect(self) -> socket.socket:
        host, port = self._target["host"], self._target.get("port", "5432")
        if not host.startswith("/"):
            return socket.create_connection((host, int(port)))
        far = socket.socket(socket.AF_UNIX)
        far.connect(str(Path(host) / f".s.PGSQL.{port}"))
        return far

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                self.flowing.wait()
                sink.sendall(piece)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
