"""Starts the reference backend as a process of its own; signatures are made here, not with Root's code."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts/reference_backend.py"
SECRET = "a secret of the tests"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(frozen=True)
class House:
    port: int

    def send(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            reply = connection.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def signed(self, method: str, path: str, *, body: bytes = b"") -> Reply:
        return self.send(method, path, body=body, headers=signature(body))

    def get(self, path: str) -> Reply:
        return self.signed("GET", path)

    def post(self, path: str, payload: Any) -> Reply:
        return self.signed("POST", path, body=json.dumps(payload).encode())

    def invoke(self, tool: str, params: Any = None, **changes: Any) -> Reply:
        return self.post(f"/integration/tools/{tool}", invocation(params, **changes))

    def succeed(self, tool: str, params: Any = None, **changes: Any) -> Any:
        answer = self.invoke(tool, params, **changes).json()
        assert answer["success"] is True, answer
        return answer["data"]

    def fail(self, tool: str, params: Any = None, **changes: Any) -> str:
        reply = self.invoke(tool, params, **changes)
        assert (reply.status, reply.json()["success"]) == (200, False)
        return str(reply.json()["error"])


def signature(body: bytes, *, at: float | None = None, secret: str = SECRET) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {"x-root-timestamp": timestamp, "x-root-signature": digest, "content-type": "application/json"}


def invocation(
    params: Any,
    *,
    ref: str = "tm-011",
    tier: str = "member",
    is_admin: bool = False,
    tenant_id: str | None = None,
    invocation_id: str | None = None,
) -> dict[str, Any]:
    """A call by Amara, in a community of its own, so that tests sharing one process never meet."""
    return {
        "invocation_id": invocation_id or str(uuid.uuid4()),
        "tenant_id": tenant_id or str(uuid.uuid4()),
        "principal": {"ref": ref, "tier": tier, "is_admin": is_admin, "display_name": "Somebody"},
        "channel": "web",
        "params": params,
    }


@contextmanager
def running(port_file: Path, *extra: str, script: Path = SCRIPT) -> Iterator[House]:
    process, house = start(port_file, *extra, script=script)
    try:
        yield house
    finally:
        process.terminate()
        process.wait(timeout=30)


def start(port_file: Path, *extra: str, script: Path = SCRIPT) -> tuple[subprocess.Popen[bytes], House]:
    command = [sys.executable, str(script), "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen(
        [*command, "--secret", SECRET, "--stream-pause", "0", "--test-tools", *extra],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for _ in range(600):
        if port_file.exists():
            return process, House(port=int(port_file.read_text()))
        assert process.poll() is None, "the backend ended before it listened"
        time.sleep(0.05)
    process.kill()
    raise AssertionError("the backend never listened")
