"""The sockets below the guarded HTTP client: checked addresses and one deadline for everything."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore

from apps.foundation.addresses import Address, Unresolved, is_public, resolve

_WRITE_BYTES = 64 * 1024


class PrivateAddress(Exception):
    """The host leads to an address outbound calls may not reach."""


class Deadline(float):
    """A timeout that shrinks: httpcore hands it unchanged to each read and write of one request."""

    ends_at: float

    def __new__(cls, seconds: float) -> Deadline:
        made = super().__new__(cls, seconds)
        made.ends_at = time.monotonic() + seconds
        return made


def remaining(timeout: float | None) -> float | None:
    """The seconds left; raises when none are."""
    if not isinstance(timeout, Deadline):
        return timeout
    left = timeout.ends_at - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return left


class GuardedStream(httpcore.NetworkStream):
    """A socket each of whose operations gets only what is left of the deadline."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, remaining(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_BYTES):
            self._inner.write(buffer[start : start + _WRITE_BYTES], remaining(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return GuardedStream(self._inner.start_tls(ssl_context, server_hostname, remaining(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Resolves a name once, judges every address, and connects to one of exactly those."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._checked(host, port, timeout)
        for position, address in enumerate(addresses):
            left = remaining(timeout)
            share = left if left is None else left / (len(addresses) - position)
            try:
                return GuardedStream(
                    self._sockets.connect_tcp(str(address), port, share, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if position == len(addresses) - 1:
                    raise
        raise httpcore.ConnectError("the name has no address")

    def _checked(self, host: str, port: int, timeout: float | None) -> list[Address]:
        left = remaining(timeout)
        try:
            addresses = resolve(host, port, timeout=60.0 if left is None else left)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from None
        except Unresolved as error:
            raise httpcore.ConnectError(str(error)) from None
        if not self._allow_private and not all(is_public(address) for address in addresses):
            raise PrivateAddress
        return addresses
