"""The pages people read: complete, without script or foreign files, with code that runs."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client

from apps.api.backend_guide import GO, NODE, PHP, PYTHON, guide
from apps.api.readable import Readable
from apps.integrations.rootint.manifest import parse_manifest

PAGES = ["/api/v1/docs", "/api/v1/docs/root-int"]
SECRET, BODY = "a secret of the tests", b'{"a": "\xc3\xa9"}'


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Client().get("/api/v1/openapi.json").content)
    return found


@pytest.mark.parametrize("path", PAGES)
def test_a_page_needs_no_key_and_loads_nothing_from_elsewhere(path: str) -> None:
    reply = Client().get(path)
    page = reply.content.decode()

    assert reply.status_code == 200
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert "script-src" not in reply.headers["Content-Security-Policy"]
    assert "<script" not in page and " style=" not in page and not re.search(r" on[a-z]+=", page)
    assert all(
        address.startswith(("/static/", "data:,"))
        for address in re.findall(r'<link[^>]*href="([^"]+)"', page)
    )
    anchors = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert Client().post(path).status_code == 405


def test_every_operation_is_on_the_page() -> None:
    page = Client().get(PAGES[0]).content.decode()
    operations = [each for methods in document()["paths"].values() for each in methods.values()]

    assert operations
    for each in operations:
        assert f'id="{each["operationId"]}"' in page
        assert each["summary"].replace("'", "&#x27;") in page


def test_the_examples_of_bodies_satisfy_their_own_shapes() -> None:
    found = document()
    for methods in found["paths"].values():
        for each in methods.values():
            shape = each.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if shape:
                sample = Readable(found).sample(shape)
                whole = {**shape, "components": found["components"]}
                jsonschema.Draft202012Validator(whole).validate(sample)


def test_the_manifest_shown_is_one() -> None:
    assert parse_manifest(json.loads(guide()["manifest"])).tools


def headers(*, at: int, secret: str = SECRET) -> tuple[str, str]:
    return str(at), hmac.new(secret.encode(), b"%d." % at + BODY, hashlib.sha256).hexdigest()


def test_the_python_shown_tells_genuine_from_forged_and_stale() -> None:
    shown: dict[str, Any] = {}
    exec(PYTHON, shown)
    check, now = shown["is_from_root"], int(time.time())

    assert check(SECRET, *headers(at=now), BODY)
    assert not check(SECRET, *headers(at=now, secret="other"), BODY)
    assert not check(SECRET, *headers(at=now - 400), BODY)
    assert not check(SECRET, *headers(at=now), BODY + b" ")
    assert not check(SECRET, "now", "é", BODY)


@pytest.mark.parametrize(
    ("program", "file", "code"),
    [
        (
            "node",
            "check.mjs",
            NODE + "console.log(isFromRoot(...process.argv.slice(2, 5), Buffer.from(process.argv[5])));",
        ),
        ("php", "check.php", "<?php " + PHP + "var_export(is_from_root(...array_slice($argv, 1)));"),
    ],
)
def test_the_code_in_other_languages_agrees(program: str, file: str, code: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed here")
    (tmp_path / file).write_text(code)
    now = int(time.time())
    for sent, expected in (
        (headers(at=now), "true"),
        (headers(at=now - 400), "false"),
        ((str(now), "0" * 64), "false"),
    ):
        done = subprocess.run(
            [program, file, SECRET, *sent, BODY.decode()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected


def test_the_go_shown_compiles(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed here")
    imports = "".join(
        f'"{name}";' for name in ("crypto/hmac", "crypto/sha256", "encoding/hex", "strconv", "time")
    )
    (tmp_path / "check.go").write_text(
        f"package main\nimport ({imports})\n{GO}\nfunc main() {{ _ = isFromRoot }}\n"
    )
    subprocess.run(["go", "vet", "check.go"], cwd=tmp_path, check=True)
