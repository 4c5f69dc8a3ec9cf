"""Time and size are bounded whatever the other side does, and each failure has its verdict."""

from __future__ import annotations

import gzip
import itertools
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from apps.foundation.http import open_stream, send
from apps.foundation.http_failure import HttpFailure
from tests.fakes.backend import FakeBackend, Reply


def failure(url: str, *, timeout: float = 10, max_bytes: int = 1000, method: str = "GET") -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        send(method, url, timeout=timeout, max_bytes=max_bytes, body=b"{}" if method == "POST" else None)
    return caught.value


def test_a_drip_does_not_outlive_the_deadline(site: FakeBackend) -> None:
    drip: Iterator[bytes] = itertools.repeat(b"x")
    site.answer("GET /", Reply(pieces=lambda: drip, pause=0.05))
    started = time.monotonic()
    assert failure(f"{site.url}/", timeout=0.6, max_bytes=10**9).kind == "timeout"
    assert time.monotonic() - started < 30


def test_silence_is_a_timeout_and_not_worth_a_retry(site: FakeBackend) -> None:
    site.answer("GET /", Reply(delay=60))
    caught = failure(f"{site.url}/", timeout=0.3)
    assert (caught.kind, caught.retryable) == ("timeout", False)


def test_a_name_server_that_hangs_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    hang = threading.Event()

    def never(*_: object, **__: object) -> list[object]:
        hang.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", never)
    assert failure("http://slow.example/", timeout=0.3).kind == "timeout"
    hang.set()


def test_an_endless_body_ends_at_the_cap(site: FakeBackend) -> None:
    site.answer("GET /", Reply(pieces=lambda: itertools.repeat(b"x" * 500)))
    assert failure(f"{site.url}/").kind == "too_large"


def test_a_declared_size_is_believed_when_it_is_too_large(site: FakeBackend) -> None:
    site.answer("GET /", Reply(b"x" * 10, headers={"content-length": "99999999999999"}))
    assert failure(f"{site.url}/").kind == "too_large"


def test_a_body_of_exactly_the_cap_is_fine(site: FakeBackend) -> None:
    site.answer("GET /", Reply(b"x" * 1000))
    assert len(send("GET", f"{site.url}/", timeout=5, max_bytes=1000).body) == 1000


def test_compression_nobody_asked_for_cannot_unfold_past_the_cap(site: FakeBackend) -> None:
    site.answer("GET /bomb", Reply(gzip.compress(b"x" * 50_000_000), headers={"content-encoding": "gzip"}))
    site.answer("GET /fine", Reply(gzip.compress(b"hello"), headers={"content-encoding": "gzip"}))
    site.answer("GET /cut", Reply(gzip.compress(b"hello")[:-6], headers={"content-encoding": "gzip"}))
    site.answer("GET /odd", Reply(b"hello", headers={"content-encoding": "br"}))
    assert failure(f"{site.url}/bomb", max_bytes=100_000).kind == "too_large"
    assert send("GET", f"{site.url}/fine", timeout=5).body == b"hello"
    assert failure(f"{site.url}/cut").kind == "bad_response"
    assert failure(f"{site.url}/odd").kind == "bad_response"
    assert site.requests[0].headers["accept-encoding"] == "identity"


def test_huge_headers_are_a_bad_response(site: FakeBackend) -> None:
    site.answer("GET /", Reply(headers={"x-big": "x" * 300_000}))
    assert failure(f"{site.url}/").kind == "bad_response"


def test_a_closed_port_may_be_tried_again() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        caught = failure(f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert (caught.kind, caught.retryable) == ("network", True)


def test_a_name_nobody_knows_is_a_network_failure() -> None:
    assert failure("http://nobody.invalid/").kind == "network"


def test_a_reply_cut_in_half_is_bad_and_final(site: FakeBackend) -> None:
    site.answer("POST /", Reply(b"{}", hang_up="half_way"))
    caught = failure(f"{site.url}/", method="POST")
    assert (caught.kind, caught.retryable) == ("bad_response", False)


def test_something_that_is_not_http_is_a_bad_response() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            peer, _ = server.accept()
            with peer:
                peer.recv(1000)
                peer.sendall(b"220 mail.example ready\r\n\r\n")

        threading.Thread(target=greet, daemon=True).start()
        assert failure(f"http://127.0.0.1:{server.getsockname()[1]}/").kind == "bad_response"


def test_a_stream_is_read_while_it_arrives(site: FakeBackend) -> None:
    ticks = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"first"
        ticks.wait(30)
        yield b"second"

    site.answer("GET /", Reply(pieces=pieces))
    with open_stream("GET", f"{site.url}/", timeout=30) as reply:
        arriving = reply.iter_bytes()
        assert next(arriving) == b"first"
        ticks.set()
        assert b"".join(arriving) == b"second"
