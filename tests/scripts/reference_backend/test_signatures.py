"""Every route wants a fresh signature over the very bytes that were sent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scripts.reference_backend.house import ROOT, SECRET, House, signature, start

RESOLVE = "/integration/identity/resolve"
ODD = '{ "channel":"slack" ,"slack_user_id" : "U0TIDE011","n":1.0, "t":"caf\\u00e9 😊"}'.encode()


def test_a_signature_over_the_raw_bytes_is_accepted(house: House) -> None:
    reply = house.signed("POST", RESOLVE, body=ODD)
    assert (reply.status, reply.json()["principal"]["principal_ref"]) == (200, "tm-011")


def test_one_changed_byte_is_refused(house: House) -> None:
    reply = house.send("POST", RESOLVE, body=ODD.replace(b"U0TIDE011", b"U0TIDE001"), headers=signature(ODD))
    assert reply.status == 401
    assert reply.json()["success"] is False
    assert reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize(("age", "status"), [(-290, 200), (290, 200), (-310, 401), (310, 401)])
def test_timestamps_may_be_five_minutes_off(house: House, age: int, status: int) -> None:
    assert (
        house.send("POST", RESOLVE, body=ODD, headers=signature(ODD, at=time.time() + age)).status == status
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"x-root-signature": ""},
        {"x-root-signature": "0" * 64},
        {"x-root-signature": "é" * 64},
        {"x-root-timestamp": ""},
        {"x-root-timestamp": "soon"},
        {"x-root-timestamp": "1e9"},
        {"x-root-timestamp": "9" * 400},
    ],
)
def test_missing_and_malformed_headers_are_refused(house: House, changes: dict[str, str]) -> None:
    headers = {key: value for key, value in {**signature(ODD), **changes}.items() if value}
    assert house.send("POST", RESOLVE, body=ODD, headers=headers).status == 401


def test_upper_case_hex_is_not_the_signature(house: House) -> None:
    headers = signature(ODD)
    headers["x-root-signature"] = headers["x-root-signature"].upper() + "A"
    assert house.send("POST", RESOLVE, body=ODD, headers=headers).status == 401


@pytest.mark.parametrize("secret", ["", "another secret"])
def test_other_secrets_are_refused(house: House, secret: str) -> None:
    assert house.send("POST", RESOLVE, body=ODD, headers=signature(ODD, secret=secret)).status == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/integration/manifest"),
        ("GET", "/integration/identity/roster"),
        ("GET", "/integration/escalations"),
        ("POST", "/integration/tools/book_room"),
        ("POST", "/integration/links/issue"),
        ("POST", "/integration/escalations"),
        ("GET", "/nothing/here"),
    ],
)
def test_strangers_learn_nothing_of_any_path(house: House, method: str, path: str) -> None:
    assert house.send(method, path, body=b"{}" if method == "POST" else b"").status == 401


def test_while_root_changes_its_secret_both_are_accepted(tmp_path: Path) -> None:
    process, changing = start(tmp_path / "port", "--former-secret", "the one before")
    try:
        for secret, status in (("the one before", 200), (SECRET, 200), ("neither", 401)):
            reply = changing.send("POST", RESOLVE, body=ODD, headers=signature(ODD, secret=secret))
            assert reply.status == status
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.parametrize("secret", [[], ["--secret", ""], ["--secret", "  "]])
def test_without_a_secret_the_backend_does_not_start(secret: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "scripts/reference_backend.py", "--port", "0", *secret],
        cwd=ROOT, env={**os.environ, "ROOT_SIGNING_SECRET": ""}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "signing secret" in ended.stderr
