"""Private networks stay out of reach, on every hop and in every spelling."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from apps.foundation.http import send
from apps.foundation.http_failure import HttpFailure
from tests.fakes.backend import FakeBackend, Reply


@pytest.fixture
def guarded(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_allow_private_hosts": False})


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"],
)
def test_nothing_is_sent_to_a_private_host(site: FakeBackend, host: str) -> None:
    site.answer("GET /latest/", Reply({"secret": 1}))
    with pytest.raises(HttpFailure) as caught:
        send("GET", f"http://{host}:{site.port}/latest/", timeout=10)
    assert (caught.value.kind, caught.value.retryable) == ("refused", False)
    assert site.requests == []


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest/", "http://[fe80::1%25lo]/", "http://10.0.0.1:6379/"]
)
def test_metadata_and_neighbours_are_refused(url: str) -> None:
    with pytest.raises(HttpFailure) as caught:
        send("GET", url, timeout=10)
    assert caught.value.kind == "refused"


def test_a_connection_kept_from_an_allowed_time_is_not_used(site: FakeBackend, settings: Any) -> None:
    site.answer("GET /", Reply({}))
    send("GET", f"{site.url}/", timeout=10)
    settings.ENV = settings.ENV.model_copy(update={"root_allow_private_hosts": False})
    with pytest.raises(HttpFailure, match="private network"):
        send("GET", f"{site.url}/", timeout=10)
    assert len(site.requests) == 1


def test_the_connection_goes_to_the_very_address_that_was_judged(
    site: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name whose second answer differs from its first cannot slip between check and connection."""
    site.answer("GET /", Reply({}))
    asked: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, port: int, *rest: Any, **named: Any) -> list[Any]:
        if host != "rebind.example":  # an address stands for itself
            return real(host, port, *rest, **named)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{len(asked)}", port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    send("GET", f"http://rebind.example:{site.port}/", timeout=10)
    assert asked == ["rebind.example"]
    assert site.requests[0].headers["host"] == f"rebind.example:{site.port}"


@pytest.mark.usefixtures("guarded")
def test_one_private_address_among_public_ones_spoils_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def mixed(_host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("8.8.8.8", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", mixed)
    with pytest.raises(HttpFailure, match="private network"):
        send("GET", "http://mixed.example/", timeout=10)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hosts", "ftp://host/", "gopher://host/", "//host/x", "host", "", "http://", "http:///x",
        "http://user:hunter2@host/", "http://host:0/", "http://host:99999/", "http://ho st/", "http://host/\x00",
        "http://host/\ud800", "javascript:1", "http://" + "a" * 9000, "http://[::1/",
    ],
)  # fmt: skip
def test_addresses_without_a_usable_form_are_refused(url: str) -> None:
    with pytest.raises(HttpFailure) as caught:
        send("GET", url, timeout=5)
    assert caught.value.kind == "refused"
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "headers", [{"x-a": "b\r\nx-evil: 1"}, {"x-a": "😊"}, {"bad name": "v"}, {"x-ü": "v"}]
)
def test_headers_cannot_smuggle(site: FakeBackend, headers: dict[str, str]) -> None:
    site.answer("GET /", Reply({}))
    with pytest.raises(HttpFailure) as caught:
        send("GET", f"{site.url}/", headers=headers, timeout=5)
    assert caught.value.kind == "refused"
    assert site.requests == []
