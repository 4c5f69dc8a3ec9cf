"""A web site, an API or a backend on 127.0.0.1: tests say what it answers and read what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it arrived; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, kw_only=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


def page(html: str, *, status: int = 200, delay: float = 0.0) -> Answer:
    return Answer(
        body=html.encode(), status=status, headers={"content-type": "text/html; charset=utf-8"}, delay=delay
    )


def data(value: Any, *, status: int = 200) -> Answer:
    body = json.dumps(value, ensure_ascii=False).encode()
    return Answer(body=body, status=status, headers={"content-type": "application/json"})


def moved(to: str) -> Answer:
    return Answer(status=302, headers={"location": to})


class SourceSite:
    """``answers`` by path; whatever else is asked for is 404."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[Asked] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        return self.answers.get(asked.path.partition("?")[0], Answer(status=404))


def _handler(site: SourceSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = site.answer(Asked(method=self.command, path=self.path, headers=headers, body=body))
            time.sleep(answer.delay)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_GET  # noqa: N815 - the base class wants this name

        def log_message(self, *_: Any) -> None:
            """Quiet: the requests are kept, not printed."""

    return Handler
