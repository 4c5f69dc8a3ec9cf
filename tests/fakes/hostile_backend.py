"""A backend that breaks every rule of the wire: raw sockets, so that nothing corrects it on the way."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

NDJSON = "application/x-ndjson"
MEGABYTE = b" " * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived, byte for byte."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = field(repr=False)


class Wire:
    """One connection: what a behaviour may do to it."""

    def __init__(self, connection: socket.socket, stopping: threading.Event) -> None:
        self._connection = connection
        self.stopping = stopping

    def send(self, data: bytes) -> None:
        """At once."""
        self._connection.sendall(data)

    def drip(self, pieces: Iterable[bytes], *, every: float) -> None:
        """Piece by piece until the test ends or the other side leaves."""
        for piece in pieces:
            self.send(piece)
            if self.stopping.wait(every):
                return

    def flood(self, piece: bytes) -> None:
        """The same bytes for ever."""
        while not self.stopping.is_set():
            self.send(piece)

    def reset(self) -> None:
        """Tears the connection down with RST instead of an orderly end."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()


Behaviour = Callable[[Wire], None]


class HostileBackend:
    """Starts on 127.0.0.1. ``behave`` sets what POSTs to tools meet, the last behaviour repeating."""

    def __init__(self, *, secret: str = "hostile-secret") -> None:
        self.secret = secret
        self.polite: dict[str, Any] = {}
        self.asked: list[Asked] = []
        self.stopping = threading.Event()
        self._behaviours: list[Behaviour] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._listener.close()

    def behave(self, *behaviours: Behaviour) -> None:
        """From the next request on."""
        with self._lock:
            self._behaviours = list(behaviours)

    @property
    def attempts(self) -> int:
        """How often something other than a polite route was asked for."""
        with self._lock:
            return sum(1 for seen in self.asked if seen.path not in self.polite)

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                asked = _read(connection)
                if asked is not None:
                    self._choose(asked)(Wire(connection, self.stopping))
        except OSError:
            """A client that leaves is part of the tests."""

    def _choose(self, asked: Asked) -> Behaviour:
        with self._lock:
            self.asked.append(asked)
            if asked.path in self.polite:
                return reply(self.polite[asked.path])
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65_536)):
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65_536)
    method, path, _ = first.split(" ", 2)
    return Asked(method=method, path=path, headers=headers, body=body)


def head(status: int = 200, *, content_type: str = "application/json", **headers: str) -> bytes:
    """Status line and headers; names are written with _ for -."""
    named = {"content-type": content_type, "connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def reply(
    value: Any, *, status: int = 200, content_type: str = "application/json", **headers: str
) -> Behaviour:
    """An orderly reply; bytes pass as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    whole = head(status, content_type=content_type, content_length=str(len(body)), **headers) + body
    return lambda wire: wire.send(whole)


def stream(*pieces: bytes, every: float = 0.0) -> Behaviour:
    """NDJSON written piece by piece, then the end."""

    def behave(wire: Wire) -> None:
        wire.send(head(content_type=NDJSON))
        wire.drip(pieces, every=every)

    return behave


def endless(piece: bytes, *, content_type: str = "application/json", status: int = 200) -> Behaviour:
    """A body that never ends, as fast as it is taken."""

    def behave(wire: Wire) -> None:
        wire.send(head(status, content_type=content_type))
        wire.flood(piece)

    return behave


def slow(value: Any, *, every: float = 0.05) -> Behaviour:
    """An orderly body, one byte at a time: each read succeeds, the whole never comes."""

    def behave(wire: Wire) -> None:
        body = json.dumps(value).encode() + MEGABYTE
        wire.send(head(content_length=str(len(body))))
        wire.drip((body[at : at + 1] for at in range(len(body))), every=every)

    return behave


def slow_headers(wire: Wire) -> None:
    """One header after the other, and never the last."""
    wire.send(b"HTTP/1.1 200 OK\r\n")
    wire.drip(iter(lambda: b"x-more: 1\r\n", b""), every=0.05)


def trickle(wire: Wire) -> None:
    """Lines that say nothing, now and then, for ever."""
    wire.send(head(content_type=NDJSON))
    wire.drip(iter(lambda: b"still here\n", b""), every=0.05)


def result_then_silence(result: bytes) -> Behaviour:
    """The result, and a connection that stays open behind it."""

    def behave(wire: Wire) -> None:
        wire.send(head(content_type=NDJSON) + result)
        wire.stopping.wait()

    return behave


def silent(wire: Wire) -> None:
    """Takes the request and never answers."""
    wire.stopping.wait()


def reset_before(wire: Wire) -> None:
    """Torn down before a single byte."""
    wire.reset()


def reset_after(wire: Wire) -> None:
    """Torn down in the middle of the body."""
    wire.send(head(content_length="1000") + b'{"success": tr')
    wire.stopping.wait(0.1)
    wire.reset()


def header_flood(wire: Wire) -> None:
    """Headers without end."""
    wire.send(b"HTTP/1.1 200 OK\r\n")
    wire.flood(b"x-flood: " + b"a" * 8_000 + b"\r\n")


def gzip_bomb(megabytes: int = 200) -> Behaviour:
    """A few hundred kilobytes that unfold into hundreds of megabytes."""
    packed = gzip.compress(b'{"success": true, "data": "' + MEGABYTE * megabytes + b'"}', compresslevel=9)
    return reply(packed, content_encoding="gzip")


def garbage(wire: Wire) -> None:
    """No HTTP at all."""
    wire.send(b"\x00\xff\x16\x03\x01 SSH-2.0-nothing\r\n\r\n")


def lines(*values: Any) -> Iterator[bytes]:
    """Values as lines of NDJSON."""
    for value in values:
        yield json.dumps(value, ensure_ascii=False).encode() + b"\n"
