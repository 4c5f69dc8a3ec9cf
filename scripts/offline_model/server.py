"""The HTTP side: routes, limits, errors in the provider's shape."""

from __future__ import annotations

import json
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scripts.offline_model.embedder import Embedder
from scripts.offline_model.requests import BadRequest, parse_body
from scripts.offline_model.service import Service

Json = dict[str, Any]
MAX_BODY = 32 * 1024 * 1024


class OfflineServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, embedder: Embedder, *, host: str, port: int) -> None:
        super().__init__((host, port), _Handler)
        self.service = Service(embedder)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news; everything else is."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120  # an idle connection does not keep its thread for ever
    wbufsize = -1  # head and body leave in one packet
    disable_nagle_algorithm = True
    server: OfflineServer

    def do_GET(self) -> None:
        match self._route():
            case "/health":
                self._send(HTTPStatus.OK, {"status": "ok"})
            case "/models":
                self._send(HTTPStatus.OK, self.server.service.models())
            case _:
                self._refuse(HTTPStatus.NOT_FOUND, "There is no such route.")

    def do_POST(self) -> None:
        service = self.server.service
        handler = {"/chat/completions": service.chat, "/embeddings": service.embeddings}.get(self._route())
        raw = self._body()
        if raw is None:
            return None
        if handler is None:
            return self._refuse(HTTPStatus.NOT_FOUND, "There is no such route.")
        try:
            self._send(HTTPStatus.OK, handler(parse_body(raw)))
        except BadRequest as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - whatever it was, the client gets an answer
            traceback.print_exc()
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "The offline model failed on this request.")

    def _route(self) -> str:
        return "/" + self.path.partition("?")[0].strip("/").removeprefix("v1/")

    def _body(self) -> bytes | None:
        """The body, or None after it was refused; an unread one would be taken for the next request."""
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdecimal():
            self.close_connection = True
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "A content-length is needed.")
            return None
        if int(length[:12]) > MAX_BODY:
            self.close_connection = True
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is larger than {MAX_BODY} bytes.")
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
        error = {"message": message, "type": kind, "param": None, "code": status.value}
        self._send(status, {"error": error})

    def _send(self, status: HTTPStatus, payload: Json) -> None:
        body = json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Questions people ask are not written down."""
