"""Signatures over raw bytes, both ways."""

from __future__ import annotations

import hashlib
import hmac
import time

import pytest

from apps.foundation.signing import EmptySecret, sign, signed_headers, verify

SECRET = "s3cret"
ODD_JSON = '{"type": "event_callback" ,"n":1.0,"t":"caf\\u00e9 😊"}'.encode()


def expected(body: bytes, *, timestamp: str) -> str:
    return hmac.new(SECRET.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("body", [ODD_JSON, b"", b"\x00\xff\n"])
def test_signs_the_very_bytes(body: bytes) -> None:
    assert sign(SECRET, timestamp=1_700_000_000, body=body) == expected(body, timestamp="1700000000")


def test_headers_carry_a_current_signature_that_verifies() -> None:
    headers = signed_headers(SECRET, body=ODD_JSON)
    assert headers["content-type"] == "application/json"
    assert abs(int(headers["x-root-timestamp"]) - time.time()) < 60
    assert verify(
        SECRET, timestamp=headers["x-root-timestamp"], signature=headers["x-root-signature"], body=ODD_JSON
    )


@pytest.mark.parametrize(("now", "accepted"), [(700, True), (699, False), (1300, True), (1301, False)])
def test_skew_is_three_hundred_seconds_either_way(now: int, accepted: bool) -> None:
    signature = expected(ODD_JSON, timestamp="1000")
    assert verify(SECRET, timestamp="1000", signature=signature, body=ODD_JSON, now=now) is accepted


def test_a_changed_byte_is_noticed() -> None:
    signature = expected(ODD_JSON, timestamp="1000")
    changed = ODD_JSON.replace(b" ,", b", ")
    assert not verify(SECRET, timestamp="1000", signature=signature, body=changed, now=1000)
    assert not verify("other", timestamp="1000", signature=signature, body=ODD_JSON, now=1000)


@pytest.mark.parametrize(
    "timestamp", ["", "abc", "1000 ", "-1000", "+1000", "1e3", "١٠٠٠", "1000.0", "9" * 400]
)
def test_a_timestamp_is_plain_decimal_digits(timestamp: str) -> None:
    signature = hmac.new(SECRET.encode(), timestamp.encode() + b".", hashlib.sha256).hexdigest()
    assert not verify(SECRET, timestamp=timestamp, signature=signature, body=b"", now=1000)


@pytest.mark.parametrize("signature", ["", "zz", "é" * 64, "\ud800", "0" * 64, "0" * 100_000])
def test_malformed_signatures_are_wrong_not_crashes(signature: str) -> None:
    assert not verify(SECRET, timestamp="1000", signature=signature, body=b"", now=1000)


def test_the_timestamp_is_signed_as_received() -> None:
    signature = expected(b"{}", timestamp="01000")
    assert verify(SECRET, timestamp="01000", signature=signature, body=b"{}", now=1000)
    assert not verify(SECRET, timestamp="1000", signature=signature, body=b"{}", now=1000)


@pytest.mark.parametrize("secret", ["", " ", "\n"])
def test_an_empty_secret_is_never_a_key(secret: str) -> None:
    forged = hmac.new(secret.encode(), b"1000.", hashlib.sha256).hexdigest()
    with pytest.raises(EmptySecret):
        sign(secret, timestamp=1000, body=b"")
    with pytest.raises(EmptySecret):
        verify(secret, timestamp="1000", signature=forged, body=b"", now=1000)
    with pytest.raises(EmptySecret):
        verify(secret, timestamp="nonsense", signature=forged, body=b"", now=1000)
