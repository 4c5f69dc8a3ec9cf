"""The guarded outbound HTTP client, for every address a tenant can name (contract §7.2, §8)."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import httpcore
import httpx

from apps.foundation.addresses import UNRESOLVED
from apps.foundation.database import released
from apps.foundation.environment import env
from apps.foundation.http_body import BodyDecoder, too_large
from apps.foundation.http_failure import HttpFailure
from apps.foundation.http_network import Deadline, GuardedBackend, PrivateAddress

DEFAULT_MAX_BYTES = 10 * 1024 * 1024
MAX_REDIRECTS = 5
MAX_URL_LENGTH = 8192
_KEEP_IDLE_SECONDS = 5.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAFE_METHODS = frozenset({"GET", "HEAD"})
# What may follow a redirect to another origin; everything else could be a credential.
_TRAVELS = frozenset({"accept", "accept-language", "user-agent"})
_NAME = re.compile(r"[A-Za-z0-9._-]{1,253}")
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply; header names are in lower case, ``url`` is where the last redirect led."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    url: str = field(repr=False)


def checked_url(url: str) -> httpx.URL:
    """The parsed address if its form allows a call; raises :class:`HttpFailure` (refused) otherwise."""
    if len(url) > MAX_URL_LENGTH:
        raise HttpFailure("refused", "The address is too long.")
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, TypeError):
        raise HttpFailure("refused", "The address is not a valid URL.") from None
    if parsed.scheme not in ("http", "https"):
        raise HttpFailure("refused", "Only http and https addresses can be called.")
    if (
        not _is_host(parsed.raw_host.decode("ascii"))
        or not 1 <= (80 if parsed.port is None else parsed.port) <= 65_535
    ):
        raise HttpFailure("refused", "The address names no host that can be called.")
    if parsed.userinfo:
        raise HttpFailure("refused", "The address must not carry a user name or password.")
    return parsed


def _is_host(host: str) -> bool:
    if _NAME.fullmatch(host):
        return True
    try:
        return ipaddress.IPv6Address(host).scope_id is None
    except ValueError:
        return False


def send(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes | None = None,
    timeout: float,
    max_bytes: int = DEFAULT_MAX_BYTES,
    follow_redirects: bool = False,
) -> HttpReply:
    """One call, read to its end. ``timeout`` bounds all of it: name, connection, redirects and body."""
    with open_stream(
        method,
        url,
        headers=headers,
        body=body,
        timeout=timeout,
        max_bytes=max_bytes,
        follow_redirects=follow_redirects,
    ) as reply:
        return HttpReply(status=reply.status, headers=reply.headers, body=reply.read(), url=reply.url)


@contextmanager
def open_stream(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes | None = None,
    timeout: float,
    max_bytes: int = DEFAULT_MAX_BYTES,
    follow_redirects: bool = False,
) -> Iterator[HttpStream]:
    """One call whose body is read while it arrives; leaving the block closes it, read or not."""
    call = _Call(
        method=method.upper(),
        url=checked_url(url),
        headers=_prepared(headers),
        body=body,
        deadline=Deadline(timeout),
    )
    if follow_redirects and call.method not in _SAFE_METHODS:
        raise ValueError("only GET and HEAD may follow redirects")
    response, final = _arrive(call, follow=follow_redirects)
    try:
        yield HttpStream(response, url=str(final), max_bytes=max_bytes)
    finally:
        response.close()


class HttpStream:
    """A reply whose body is still on its way."""

    def __init__(self, response: httpcore.Response, *, url: str, max_bytes: int) -> None:
        self._response = response
        self._max_bytes = max_bytes
        self.status = response.status
        self.headers = _readable(response.headers)
        self.url = url

    def iter_bytes(self) -> Iterator[bytes]:
        """The body in pieces as they come, decompressed, never more than the cap in all."""
        declared = self.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared) > self._max_bytes:
            raise too_large(self._max_bytes)
        decoder = BodyDecoder(self.headers.get("content-encoding", ""), limit=self._max_bytes)
        pieces = self._response.iter_stream()
        while True:
            with released(), _translated(arrived=True):
                raw = next(pieces, None)
            if raw is None:
                break
            if piece := decoder.feed(raw):
                yield piece
        decoder.finish()

    def read(self) -> bytes:
        """The whole body."""
        return b"".join(self.iter_bytes())


@dataclass(frozen=True, slots=True)
class _Call:
    method: str
    url: httpx.URL
    headers: dict[str, str]
    body: bytes | None
    deadline: Deadline


def _arrive(call: _Call, *, follow: bool) -> tuple[httpcore.Response, httpx.URL]:
    for _ in range(MAX_REDIRECTS + 1):
        response = _exchange(call)
        if not follow or response.status not in _REDIRECTS:
            return response, call.url
        response.close()
        call = _redirected(call, location=_readable(response.headers).get("location", ""))
    raise HttpFailure("bad_response", "The address redirects too often.")


def _redirected(call: _Call, *, location: str) -> _Call:
    if not location:
        raise HttpFailure("bad_response", "The address redirects to nowhere.")
    try:
        joined = str(call.url.join(location))
    except (httpx.InvalidURL, ValueError):
        raise HttpFailure("refused", "The address redirects to something that is no URL.") from None
    target = checked_url(joined)
    headers = call.headers
    if _origin(target) != _origin(call.url):
        headers = {name: value for name, value in headers.items() if name in _TRAVELS}
    return _Call(
        method=call.method, url=target, headers=_prepared(headers), body=None, deadline=call.deadline
    )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _exchange(call: _Call) -> httpcore.Response:
    """Sends the call and waits for the head of the reply.

    A kept connection that the other side closed meanwhile fails without an answer. Reading calls then get one
    fresh connection; a call that may have an effect is never sent twice from here.
    """
    connected: list[bool] = []
    try:
        return _exchange_once(call, connected)
    except HttpFailure as failure:
        if failure.kind != "network" or connected or call.method not in _SAFE_METHODS:
            raise
    return _exchange_once(call, connected)


def _exchange_once(call: _Call, connected: list[bool]) -> httpcore.Response:
    def trace(event: str, _info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.started":
            connected.append(True)

    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), call.deadline)
    with released(), _translated(arrived=False):
        request = httpcore.Request(
            call.method,
            httpcore.URL(
                scheme=call.url.raw_scheme,
                host=call.url.raw_host,
                port=call.url.port,
                target=call.url.raw_path,
            ),
            headers=_wire_headers(call),
            content=call.body,
            extensions={"timeout": timeouts, "trace": trace},
        )
        return _pool(env().allow_private_hosts).handle_request(request)


def _wire_headers(call: _Call) -> list[tuple[bytes, bytes]]:
    wire = [(b"host", call.url.netloc)]
    wire += [(name.encode("ascii"), value.encode("latin-1")) for name, value in call.headers.items()]
    if call.body is not None:
        wire.append((b"content-length", str(len(call.body)).encode("ascii")))
    return wire


def _prepared(headers: Mapping[str, str]) -> dict[str, str]:
    given = {name.lower(): value for name, value in headers.items()}
    # Uncompressed, so that a small reply cannot unfold into a large one.
    return {"user-agent": "Root/1", "accept": "*/*", **given, "accept-encoding": "identity"}


def _readable(headers: list[tuple[bytes, bytes]]) -> Mapping[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


@lru_cache(maxsize=2)
def _pool(allow_private: bool) -> httpcore.ConnectionPool:
    return httpcore.ConnectionPool(
        ssl_context=httpx.create_ssl_context(),
        max_connections=None,
        max_keepalive_connections=100,
        keepalive_expiry=_KEEP_IDLE_SECONDS,
        network_backend=GuardedBackend(allow_private=allow_private),
    )


def forget_connections() -> None:
    """Starts anew: after a fork, since two processes must not write to one socket, or with other certificates."""
    _pool.cache_clear()


os.register_at_fork(after_in_child=forget_connections)


@contextmanager
def _translated(*, arrived: bool) -> Iterator[None]:
    """Turns transport errors into verdicts. Once a reply has begun, a break is never worth a second try."""
    try:
        yield
    except PrivateAddress:
        raise HttpFailure(
            "refused", "The address leads into a private network, which is not allowed."
        ) from None
    except (httpcore.LocalProtocolError, UnicodeEncodeError, TypeError):
        raise HttpFailure("refused", "The request carries something HTTP cannot express.") from None
    except httpcore.ConnectTimeout:
        raise HttpFailure("timeout", "The address did not answer in time.", sent=False) from None
    except httpcore.TimeoutException:
        raise HttpFailure("timeout", "The address did not answer in time.") from None
    except httpcore.RemoteProtocolError as error:
        silent = not arrived and str(error).startswith("Server disconnected")
        raise (
            _broken(retryable=True) if silent else HttpFailure("bad_response", "The reply is broken.")
        ) from None
    except (httpcore.NetworkError, OSError) as error:
        if arrived:
            raise HttpFailure("bad_response", "The connection broke in the middle of the reply.") from None
        reached = not isinstance(error, httpcore.ConnectError)
        raise _broken(str(error), retryable="CERTIFICATE" not in str(error), sent=reached) from None


def _broken(cause: str = "", *, retryable: bool, sent: bool = True) -> HttpFailure:
    said = "The address could not be reached."
    if "CERTIFICATE" in cause:
        said = "The address has no certificate that can be trusted."
    elif cause == UNRESOLVED:
        said = "The address could not be reached: the name of the host is not known."
    return HttpFailure("network", said, retryable=retryable, sent=sent)
