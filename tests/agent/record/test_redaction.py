"""What the record keeps of arguments: no secret, nothing endless, always storable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.agent.record.redaction import REDACTED, digest, redacted, redacted_text


@pytest.mark.parametrize(
    "name",
    [
        *(
            "password",
            "apiKey",
            "api_key",
            "access_token",
            "Authorization",
            "cookie",
            "client_secret",
            "iban",
        ),
        *("cardNumber", "pin", "webhook_token", "privateKey", "passphrase"),
    ],
)
def test_a_field_named_like_a_secret_is_hidden_at_every_depth(name: str) -> None:
    assert redacted({"outer": [{name: "hunter2"}]}) == {"outer": [{name: REDACTED}]}


@pytest.mark.parametrize(
    "name", ["title", "spinning", "opinion", "author", "tokens_used", "keyboard", "passenger"]
)
def test_names_that_only_resemble_one_are_not(name: str) -> None:
    assert redacted({name: "an ordinary value"}) == {name: "an ordinary value"}


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("use sk-proj-abcdef0123456789abcdef please", "abcdef0123456789"),
        ("rpk_live_0123456789abcdef0123456789abcdef0123456789abcdef", "0123456789abcdef"),
        ("xoxb-12345678901-abcdefghijkl", "abcdefghijkl"),
        ("Authorization: Bearer abc.def-ghi123", "abc.def-ghi123"),
        ("see https://ada:hunter2@house.example/x", "hunter2"),
        ("https://house.example/x?token=s3cr3t-value&a=1", "s3cr3t-value"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIiOiIxIn0"),
        ("my card is 4111 1111 1111 1111 ok", "1111 1111"),
        ("the password is hunter2", "hunter2"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEv\n-----END PRIVATE KEY-----", "MIIEv"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEv and cut", "MIIEv"),
    ],
)
def test_a_text_that_holds_a_secret_loses_it(text: str, secret: str) -> None:
    assert secret not in redacted_text(text) and REDACTED in redacted_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Book the Loft for Tuesday 14:00, twelve people",
        "https://house.example/events/2026-11-30/autumn-gathering-in-the-garden",
        "+351 912 345 678",
        "b3f1c2d4-0000-4000-8000-000000000001",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redacted({"note": text}) == {"note": text}


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * 100_000},
        {"items": list(range(10_000))},
        {f"key{n}": n for n in range(10_000)},
        {"deep": __import__("functools").reduce(lambda inner, _: {"n": inner}, range(80), "x")},
        {"bad\x00\ud800": "nul \x00 and \ud800"},
        {"n": float("nan"), "big": 10**400},
    ],
)
def test_whatever_came_is_bounded_and_storable(arguments: dict[str, Any]) -> None:
    text = json.dumps(redacted(arguments), ensure_ascii=False, allow_nan=False)
    assert len(text.encode()) < 40_000 and "\\u0000" not in text


def test_the_digest_knows_equal_arguments_in_any_order() -> None:
    assert digest({"a": 1, "b": [{"c": 2, "d": 3}]}) == digest({"b": [{"d": 3, "c": 2}], "a": 1})
    assert digest({"a": [1, 2]}) != digest({"a": [2, 1]})
