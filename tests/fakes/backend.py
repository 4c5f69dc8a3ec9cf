"""A tenant backend at the wire: a real HTTP server with its own signature check and replies tests choose."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import unquote, urlsplit

NDJSON = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request gets. ``pieces`` are written one by one, ``pause`` seconds apart."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pieces: Callable[[], Iterable[bytes]] | None = None
    pause: float = 0.0
    hang_up: Literal["no", "at_once", "half_way"] = "no"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: tuple[str, int]
    signed: bool

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Reply | Callable[[Recorded], Reply]


def ndjson(*lines: Any) -> bytes:
    """Lines of a streaming tool; bytes pass as they are."""
    return b"".join(
        line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() + b"\n"
        for line in lines
    )


def in_pieces(text: bytes, *, size: int) -> Callable[[], Iterator[bytes]]:
    """The same bytes cut into packets of ``size``."""
    return lambda: (text[start : start + size] for start in range(0, len(text), size))


class FakeBackend:
    """Starts on 127.0.0.1 at a free port; ``answer`` sets what a route says, the last reply repeating."""

    def __init__(self, *, secret: str | None = "wire-secret") -> None:
        self.secret = secret
        self.requests: list[Recorded] = []
        self.stopping = threading.Event()
        self._answers: dict[str, list[Answer]] = {}
        self._lock = threading.Lock()
        self._server = _Server(self)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, route: str, *answers: Answer) -> None:
        """``route`` is "METHOD /path" with the path decoded."""
        with self._lock:
            self._answers[route] = list(answers)

    def calls(self, route: str) -> list[Recorded]:
        """The requests a route has received."""
        with self._lock:
            return [seen for seen in self.requests if f"{seen.method} {unquote(seen.path)}" == route]

    def take(self, recorded: Recorded) -> Reply:
        """Records a request and picks its reply."""
        with self._lock:
            self.requests.append(recorded)
            queue = self._answers.get(f"{recorded.method} {unquote(recorded.path)}")
            chosen = None if queue is None else queue.pop(0) if len(queue) > 1 else queue[0]
        if self.secret is not None and not recorded.signed:
            return Reply({"error": "bad signature"}, status=401)
        if chosen is None:
            return Reply({"error": "no such route"}, status=404)
        return chosen if isinstance(chosen, Reply) else chosen(recorded)

    def is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        """The protocol's signature, computed here on its own."""
        stamp = headers.get("x-root-timestamp", "")
        if self.secret is None or not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            return False
        expected = hmac.new(self.secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        return headers.get("x-root-signature") == expected


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, backend: FakeBackend) -> None:
        self.backend = backend
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_GET  # noqa: N815 - the server's own spelling
    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def _serve(self) -> None:
        backend = self.server.backend
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = backend.take(
            Recorded(
                method=self.command,
                path=urlsplit(self.path).path,
                headers=headers,
                body=body,
                connection=self.client_address,
                signed=backend.is_signed(headers, body),
            )
        )
        if reply.delay:
            backend.stopping.wait(reply.delay)
        if reply.hang_up == "at_once":
            self.close_connection = True
            return
        self._write(reply)

    def _write(self, reply: Reply) -> None:
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        if "content-type" not in reply.headers:
            self.send_header("content-type", "application/json")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.pieces is not None:
            self.send_header("connection", "close")
        elif "content-length" not in reply.headers:
            self.send_header("content-length", str(len(content) + (10 if reply.hang_up == "half_way" else 0)))
        self.end_headers()
        for piece in [content] if reply.pieces is None else reply.pieces():
            self.wfile.write(piece)
            self.wfile.flush()
            if reply.pause and self.server.backend.stopping.wait(reply.pause):
                break
        if reply.hang_up == "half_way" or reply.pieces is not None:
            self.close_connection = True
