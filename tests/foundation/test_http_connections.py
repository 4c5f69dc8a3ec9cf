"""Connections are kept, shared between threads, and never send an effect twice."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from apps.foundation.database import TransactionHeld
from apps.foundation.http import open_stream, send
from apps.foundation.http_failure import HttpFailure
from tests.fakes.backend import FakeBackend, Recorded, Reply


def test_a_connection_is_kept(site: FakeBackend) -> None:
    site.answer("GET /", Reply({}))
    for _ in range(3):
        send("GET", f"{site.url}/", timeout=5)
    assert len({seen.connection for seen in site.requests}) == 1


def test_threads_share_the_client(site: FakeBackend) -> None:
    site.answer("POST /", lambda seen: Reply(seen.body))
    with ThreadPoolExecutor(16) as pool:
        bodies = [str(number).encode() * 50 for number in range(100)]
        replies = list(
            pool.map(lambda body: send("POST", f"{site.url}/", body=body, timeout=30).body, bodies)
        )
    assert replies == bodies


class _ClosesKeptConnections:
    """Answers the first request of a connection, takes the second one in and hangs up on it."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._server.accept()
            except OSError:
                return
            with peer:
                self.received.append(peer.recv(10_000))
                peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                self.received.append(peer.recv(10_000))

    def close(self) -> None:
        self._server.close()

    def seen(self, method: bytes) -> int:
        return sum(request.startswith(method) for request in self.received)


def test_a_stale_connection_never_doubles_an_effect() -> None:
    peer = _ClosesKeptConnections()
    send("GET", peer.url, timeout=5)
    with pytest.raises(HttpFailure) as caught:
        send("POST", peer.url, body=b"{}", timeout=5)
    assert (caught.value.kind, caught.value.retryable) == ("network", True)
    assert peer.seen(b"POST") == 1
    peer.close()


def test_a_stale_connection_costs_a_reading_call_nothing() -> None:
    peer = _ClosesKeptConnections()
    send("GET", peer.url, timeout=5)
    assert send("GET", peer.url, timeout=5).body == b"ok"
    assert peer.seen(b"GET") == 3
    peer.close()


def test_leaving_a_stream_early_closes_it(site: FakeBackend) -> None:
    site.answer("GET /", Reply(b"x" * 500_000))
    for _ in range(3):
        with open_stream("GET", f"{site.url}/", timeout=5) as reply:
            assert reply.status == 200
    assert send("GET", f"{site.url}/", timeout=5).status == 200


def test_no_database_connection_is_held_while_waiting(site: FakeBackend, committed_db: None) -> None:
    own = connections["default"]  # this thread's; the server asks it from another one
    held: list[bool] = []

    def look(_: Recorded) -> Reply:
        held.append(own.connection is not None)
        return Reply({})

    site.answer("GET /", look)
    with own.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert own.connection is not None
    send("GET", f"{site.url}/", timeout=5)
    assert held == [False]


def test_a_call_inside_a_transaction_is_a_bug(site: FakeBackend, committed_db: None) -> None:
    site.answer("GET /", Reply({}))
    with transaction.atomic(), pytest.raises(TransactionHeld):
        send("GET", f"{site.url}/", timeout=5)
    assert site.requests == []
