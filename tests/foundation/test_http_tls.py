"""Over TLS the name stays the name, although the connection goes to a checked address."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.foundation import http
from apps.foundation.http_failure import HttpFailure

# A throw-away key and certificate for tls.example, good for nothing but this test.
PEM = Path(__file__).parent / "tls" / "tls_example.pem"


class _Peer:
    def __init__(self) -> None:
        self.names: list[str | None] = []
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(PEM)
        self._context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._server.accept()
            except OSError:
                return
            try:
                with self._context.wrap_socket(plain, server_side=True) as peer:
                    peer.recv(10_000)
                    peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
            except OSError:
                continue

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Peer]:
    def everywhere(_host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    running = _Peer()
    monkeypatch.setattr(socket, "getaddrinfo", everywhere)
    yield running
    running.close()


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The operator's own authority, given the way OpenSSL takes it; pools made before do not know it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    http.forget_connections()
    yield
    http.forget_connections()


@pytest.mark.usefixtures("trusted")
def test_the_certificate_is_judged_by_the_name(peer: _Peer) -> None:
    reply = http.send("GET", f"https://tls.example:{peer.port}/", timeout=10)
    assert (reply.status, reply.body) == (200, b"ok")
    assert peer.names == ["tls.example"]


@pytest.mark.usefixtures("trusted")
def test_another_name_with_that_certificate_is_no_reply(peer: _Peer) -> None:
    with pytest.raises(HttpFailure) as caught:
        http.send("GET", f"https://other.example:{peer.port}/", timeout=10)
    assert (caught.value.kind, caught.value.retryable) == ("network", False)


def test_a_certificate_nobody_vouches_for_is_no_reply(peer: _Peer) -> None:
    with pytest.raises(HttpFailure) as caught:
        http.send("GET", f"https://tls.example:{peer.port}/", timeout=10)
    assert (caught.value.kind, caught.value.retryable) == ("network", False)
