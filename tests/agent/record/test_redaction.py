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
        *("tokens", "authTokens", "device_tokens", "otps", "Passwort"),
    ],
)
def test_a_field_named_like_a_secret_is_hidden_at_every_depth(name: str) -> None:
    assert redacted({"outer": [{name: "hunter2"}]}) == {"outer": [{name: REDACTED}]}


@pytest.mark.parametrize(
    "name", ["title", "spinning", "opinion", "author", "tokens_used", "keyboard", "passenger"]
)
def test_names_that_only_resemble_one_are_not(name: str) -> None:
    assert redacted({name: "an ordinary value"}) == {name: "an ordinary value"}


@pytest.mark.parametrize("count", [500, "500", 0.5])
def test_a_number_of_tokens_is_no_token(count: object) -> None:
    assert redacted({"max_tokens": count}) == {"max_tokens": count}
    assert redacted({"tokens": {"slack": "abc"}}) == {"tokens": REDACTED}


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
        ("password hunter2", "hunter2"),
        ("log in with password swordfish!1 please", "swordfish!1"),
        ("password p@ss", "p@ss"),
        ("Passwords: first, second", "first"),
        ("my password is correct-horse", "correct-horse"),
        ("the password for the guest wifi is swordfish", "swordfish"),
        ("password to the shed: swordfish", "swordfish"),
        ("password “swordfish”", "swordfish"),
        ("the pin is 1234", "1234"),
        ("pin 1234", "1234"),
        ("PIN code 1234", "1234"),
        ("pin=1234", "1234"),
        ("passcode: 99", "99"),
        ("the door code 4711 opens it", "4711"),
        ("api key abcd1234efgh", "abcd1234efgh"),
        ("token a1b2c3d4", "a1b2c3d4"),
        ("das Passwort ist Schwertfisch", "Schwertfisch"),
        ("https://house.example/x?auth=s3cr3t-value&a=1", "s3cr3t-value"),
        ("https://house.example/x?a=1&refresh_token=s3cr3t-value", "s3cr3t-value"),
        ("https://house.example/x?X-Amz-Signature=s3cr3t-value", "s3cr3t-value"),
        ("https://house.example/x#access_token=s3cr3t-value", "s3cr3t-value"),
        ("https://house.example/x;jsessionid=1?sid=s3cr3t-value", "s3cr3t-value"),
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
        "I need a password reset",
        "Please send me the password reset link for the members' area",
        "The password is wrong, and the password is not accepted",
        "Is the password required? The password was changed on Monday.",
        "pin the message about the 2026 gathering",
        "Pin 2 messages, then unpin them",
        "secret santa on Friday, passport renewal in May",
        "token of thanks for Ines; the token expired",
        "one pin or two tokens",
        "a code of conduct for all, country code is +351",
        "https://house.example/x?monkey=1&author=ada&page=2",
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


def test_arguments_whose_names_become_equal_are_both_kept() -> None:
    told = redacted({"room": "Loft", "ro\x00om": "Shed", "deep": [{"a": 1, "a\x00": 2, "a\x01": 3}]})
    assert told == {
        "room": "Loft",
        "room (2)": "Shed",
        "deep": [{"a": 1, "a (2)": 2, "a (3)": 3}],
    }
    assert redacted({"pin": "1234", "pin\x00": "5678"}) == {"pin": REDACTED, "pin (2)": REDACTED}
    long = "x" * 200
    assert len(redacted({long + "a": 1, long + "b": 2})) == 2
