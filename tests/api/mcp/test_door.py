"""What stands before the protocol: methods, keys, hosts, types, sizes; and the revisions that are spoken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.api_keys import mint_key, revoke_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

ACCEPT = "application/json, text/event-stream"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def sent(
    tenant: Tenant | None,
    message: Any,
    *,
    path: str = "/api/mcp",
    content_type: str = "application/json",
    **headers: str,
) -> Any:
    key = {"Authorization": f"Bearer {mint_key(tenant, name='c').secret}"} if tenant else {}
    raw = message if isinstance(message, bytes) else json.dumps(message)
    client = Client(headers={"Host": "localhost:4000", "Accept": ACCEPT, **key, **headers})
    return client.post(path, raw, content_type=content_type)


def test_get_and_delete_are_405(tenant: Tenant) -> None:
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        answer = Client().generic(method, "/api/mcp")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert json.loads(answer.content)["error"]["code"] == "method_not_allowed"


def test_keys_are_looked_at_before_the_body_is(tenant: Tenant) -> None:
    for message in (b"{", PING):
        answer = sent(None, message)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    unknown = sent(None, PING, Authorization="Bearer rpk_live_00")
    assert unknown.status_code == 401
    gone = mint_key(tenant, name="gone")
    with tenant_context(tenant):
        revoke_key(gone.row)
    assert sent(None, PING, Authorization=f"Bearer {gone.secret}").status_code == 403


@pytest.mark.parametrize("path", ["/api/mcp", "/api/mcp/"])
def test_neither_spelling_redirects(tenant: Tenant, path: str) -> None:
    answer = sent(tenant, PING, path=path)
    assert (answer.status_code, json.loads(answer.content)["result"]) == (200, {})


def test_notifications_are_202_without_a_body(tenant: Tenant) -> None:
    answer = sent(tenant, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "root.example"}, 200),
        ({"Host": "root.example", "Origin": "https://root.example"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://root.example.evil.example"}, 403),
        ({"Origin": "https://[bad"}, 403),
    ],
)
def test_only_our_own_address_is_answered(
    tenant: Tenant, settings: Any, headers: dict[str, str], status: int
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    settings.ENV = settings.ENV.model_copy(update={"platform_base_url": "https://root.example"})
    assert sent(tenant, PING, **headers).status_code == status


def test_in_production_this_machine_is_no_address(tenant: Tenant, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    settings.ENV = settings.ENV.model_copy(
        update={"platform_base_url": "https://root.example", "node_env": "production"}
    )
    assert sent(tenant, PING).status_code == 403
    assert sent(tenant, PING, Host="root.example").status_code == 200


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"{", 400),
        (b" ", 400),
        (b"[]", 400),
        (b"null", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', None),
        ({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, None),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\x00"}}, None),
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "ask_agent", "arguments": []},
            },
            None,
        ),
        (json.dumps(PING | {"x": "y" * 600_000}).encode(), 413),
    ],
)
def test_odd_messages_are_refused_and_never_a_fault_of_ours(
    tenant: Tenant, message: Any, status: int | None
) -> None:
    for revision in ({}, {"MCP-Protocol-Version": "2026-07-28"}):
        answer = sent(tenant, message, **revision)
        assert answer.status_code in ({status} if status else {200, 400, 404})
        assert "error" in json.loads(answer.content)


def test_other_types_are_415(tenant: Tenant) -> None:
    assert sent(tenant, b"x", content_type="text/plain").status_code == 415


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_earlier_revisions_are_spoken(tenant: Tenant, revision: str) -> None:
    asked = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = sent(tenant, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
    result = json.loads(answer.content)["result"]
    assert result["protocolVersion"] == revision
    assert result["serverInfo"]["name"] == "root"
    assert "Pilot is the assistant of Harbour Works" in result["instructions"]
    assert "Mcp-Session-Id" not in answer.headers


def test_a_revision_nobody_knows_gets_the_newest_of_the_handshake(tenant: Tenant) -> None:
    asked = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    answer = sent(tenant, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
    assert json.loads(answer.content)["result"]["protocolVersion"] == "2025-11-25"
