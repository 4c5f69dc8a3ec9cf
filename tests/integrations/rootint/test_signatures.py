"""Signatures of all six endpoints, checked by code written from the protocol's text alone (case SIG-01)."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from apps.integrations.models import Integration
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.escalations import Escalation, send_escalation
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.links import issue_link
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.people import identify, roster
from apps.integrations.rootint.registry import refresh
from apps.tenancy.models import Tenant
from tests.fakes.hostile_backend import Asked, HostileBackend

SECRET = "geheim-é-😊-with spaces"
HARD = 'é😊 "quoted" \\ / \u2028 \x7f 1.0 \ud800 \x00 end'
PERSON = {"principal_ref": "m-1", "display_name": "Ana", "tier": "member"}
ANSWERS: dict[str, Any] = {
    "/integration/manifest": {"protocol": "root-int/1", "tools": []},
    "/integration/tools/book": {"success": True},
    "/integration/identity/resolve": {"principal": PERSON},
    "/integration/identity/roster": {"principals": [PERSON]},
    "/integration/links/issue": {"url": "https://house.example/my"},
    "/integration/escalations": {"success": True},
}


@pytest.fixture
def receiver(in_tenant: Tenant) -> Iterator[HostileBackend]:
    with HostileBackend(secret=SECRET) as running:
        running.polite = ANSWERS
        Integration.objects.create(name="house", base_url=running.url, signing_secret=SECRET)
        yield running


def invoke(row: Integration) -> None:
    invocation = Invocation(
        principal=InvocationPrincipal(ref="m-1", tier="member", display_name=HARD),
        channel="web",
        current_user_message=HARD,
    )
    tool = ManifestTool(name="book", description="Books.", parameters={"type": "object"})
    params = {"text": HARD, "n": 1.0, "nested": [{HARD: None}]}
    assert invoke_tool(row.pk, tool, params=params, invocation=invocation).success


def escalate(row: Integration) -> None:
    send_escalation(
        row,
        Escalation(
            intervention_id=uuid4(),
            principal_ref="m-1",
            user_name=HARD,
            channel="web",
            tier="member",
            escalation_reason=HARD,
            user_request_summary=HARD,
        ),
    )


CALLS: dict[str, tuple[str, Callable[[Integration], object]]] = {
    "/integration/manifest": ("GET", refresh),
    "/integration/tools/book": ("POST", invoke),
    "/integration/identity/resolve": (
        "POST",
        lambda row: identify(row, channel="email", email=f"{HARD}@a.example"),
    ),
    "/integration/identity/roster": ("GET", roster),
    "/integration/links/issue": ("POST", lambda row: issue_link(row, destination=HARD, principal_ref="m-1")),
    "/integration/escalations": ("POST", escalate),
}


@pytest.mark.parametrize("path", CALLS)
def test_the_signature_covers_the_very_bytes_that_travel(receiver: HostileBackend, path: str) -> None:
    method, call = CALLS[path]
    call(Integration.objects.get())
    (asked,) = receiver.asked
    assert (asked.method, asked.path) == (method, path)
    assert_signed(asked)
    if method == "GET":
        assert asked.body == b""
    else:
        assert "é😊".encode() in asked.body
        asked.body.decode("utf-8")


@pytest.mark.parametrize("path", CALLS)
def test_one_changed_byte_is_noticed(receiver: HostileBackend, path: str) -> None:
    CALLS[path][1](Integration.objects.get())
    (asked,) = receiver.asked
    headers = asked.headers
    changed = bytes([asked.body[0] ^ 1]) + asked.body[1:] if asked.body else b" "
    assert expected(headers["x-root-timestamp"], changed) != headers["x-root-signature"]
    assert expected(str(int(headers["x-root-timestamp"]) + 1), asked.body) != headers["x-root-signature"]


def assert_signed(asked: Asked) -> None:
    stamp = asked.headers["x-root-timestamp"]
    assert stamp.isascii() and stamp.isdecimal() and str(int(stamp)) == stamp
    assert abs(time.time() - int(stamp)) <= 300
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["x-root-signature"] == expected(stamp, asked.body)
    assert asked.headers["x-root-signature"] == asked.headers["x-root-signature"].lower()


def expected(timestamp: str, body: bytes) -> str:
    """§7.1: HMAC-SHA256, keyed with the secret, over timestamp, a full stop, and the body as received."""
    return hmac.new(SECRET.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
