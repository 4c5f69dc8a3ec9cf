"""HMAC signatures between Root and the backends it talks to (contract §7.1)."""

from __future__ import annotations

import hashlib
import hmac
import re
import time

TIMESTAMP_HEADER = "x-root-timestamp"
SIGNATURE_HEADER = "x-root-signature"
DEFAULT_SKEW_SECONDS = 300

_DECIMAL = re.compile(r"[0-9]{1,15}")
_HEX = re.compile(r"[0-9a-f]{64}")


class EmptySecret(ValueError):
    """An empty secret would let anybody sign; it is never used as a key."""


def sign(secret: str, *, timestamp: int, body: bytes) -> str:
    """The lower-case hex signature over the very bytes that travel."""
    return _sign_text(secret, timestamp=str(timestamp), body=body)


def signed_headers(secret: str, *, body: bytes, now: int | None = None) -> dict[str, str]:
    """The headers of a signed JSON request whose body is ``body`` (empty for GET)."""
    timestamp = int(time.time()) if now is None else now
    return {
        "content-type": "application/json",
        TIMESTAMP_HEADER: str(timestamp),
        SIGNATURE_HEADER: sign(secret, timestamp=timestamp, body=body),
    }


def verify(
    secret: str,
    *,
    timestamp: str,
    signature: str,
    body: bytes,
    now: int | None = None,
    skew: int = DEFAULT_SKEW_SECONDS,
) -> bool:
    """Whether a received signature is genuine and recent.

    Malformed headers are simply wrong. An empty secret raises :class:`EmptySecret`: it is a broken
    configuration on our side, whoever is calling.
    """
    if not _DECIMAL.fullmatch(timestamp) or not _HEX.fullmatch(signature):
        _key(secret)
        return False
    # Signed as received: "007" and "7" are different texts even though they are the same second.
    expected = _sign_text(secret, timestamp=timestamp, body=body)
    current = int(time.time()) if now is None else now
    return hmac.compare_digest(expected, signature) and abs(current - int(timestamp)) <= skew


def _sign_text(secret: str, *, timestamp: str, body: bytes) -> str:
    return hmac.new(_key(secret), timestamp.encode("ascii") + b"." + body, hashlib.sha256).hexdigest()


def _key(secret: str) -> bytes:
    if not secret.strip():
        raise EmptySecret("a signing secret must not be empty")
    return secret.encode("utf-8", "surrogatepass")
