"""Which network addresses outbound calls may reach (contract §8, "Private addresses")."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNRESOLVED = "the name does not resolve"
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")
# A cloud's metadata service that answers on an address outside the private ranges.
_METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})


class Unresolved(OSError):
    """The name has no address, or the answer did not come in time."""


def is_public(address: Address) -> bool:
    """True for an address on the open internet, judged also by an IPv4 address hidden inside it."""
    if isinstance(address, ipaddress.IPv6Address):
        hidden = list(_hidden(address))
        if not all(is_public(inner) for inner in hidden):
            return False
        if address in _NAT64 or address.ipv4_mapped is not None:
            return True
        if address.is_site_local or address in _LOCAL_NAT64:
            return False
    elif address in _METADATA:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _hidden(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _NAT64:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


def resolve(host: str, port: int, *, timeout: float) -> list[Address]:
    """Every address of a host, in the resolver's order.

    Odd spellings (decimal, hexadecimal, shortened) go through the same resolver the connection would use, so
    they are judged by what they mean. The system call knows no timeout: it runs beside us.
    """
    answer: list[Address] = []
    failure: list[Exception] = []

    def ask() -> None:
        try:
            answer.extend(_lookup(host, port))
        except (OSError, ValueError) as error:
            failure.append(error)

    helper = threading.Thread(target=ask, name="resolve", daemon=True)
    helper.start()
    helper.join(max(timeout, 0.0))
    if helper.is_alive():
        raise TimeoutError("name resolution took too long")
    if failure or not answer:
        raise Unresolved(UNRESOLVED)
    return answer


def _lookup(host: str, port: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ipaddress.ip_address(entry[4][0]) for entry in found))
