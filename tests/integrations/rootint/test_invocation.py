"""What a tool receives, byte for byte, and what comes back of a plain answer."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from apps.integrations.models import Integration
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.invocation import EmailDelegation, Invocation, InvocationPrincipal
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.results import ToolOutcome
from apps.tenancy.models import IntegrationToolCall
from tests.fakes.backend import FakeBackend, Reply

ROUTE = "POST /integration/tools/book_room"
TOOL = ManifestTool(name="book_room", description="Books.", parameters={"type": "object"}, timeout_seconds=20)
WHO = InvocationPrincipal(ref="m-1", tier="member")
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def invoke(integration: Integration, **params: Any) -> ToolOutcome:
    return invoke_tool(
        integration.pk,
        TOOL,
        params=params,
        invocation=Invocation(principal=WHO, channel="web", trace_id="t-1"),
    )


def answered(integration: Integration, backend: FakeBackend, reply: Reply) -> ToolOutcome:
    backend.answer(ROUTE, reply)
    return invoke(integration)


def test_the_whole_body(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ROUTE, Reply({"success": True}))
    invocation = Invocation(
        principal=InvocationPrincipal(
            ref="m-1",
            tier="member",
            is_admin=True,
            display_name="Ana",
            slack_user_id="U1",
            email="ana@a.example",
        ),
        channel="slack",
        slack_channel_id="C1",
        current_user_message="é😊\ud800",
        thread_ts="1.2",
        email_delegation=EmailDelegation(reason="cc", is_delegate=True, sender_email="b@a.example"),
    )
    invoke_tool(integration.pk, TOOL, params={"day": "é😊", "n": 1.0}, invocation=invocation)
    (seen,) = backend.calls(ROUTE)
    assert seen.signed
    assert seen.headers["content-type"] == "application/json"
    assert "é😊".encode() in seen.body
    assert seen.json == {
        "invocation_id": str(invocation.invocation_id),
        "tenant_id": str(integration.tenant_id),
        "principal": {
            "ref": "m-1",
            "tier": "member",
            "is_admin": True,
            "display_name": "Ana",
            "slack_user_id": "U1",
            "email": "ana@a.example",
        },
        "channel": "slack",
        "slack_channel_id": "C1",
        "current_user_message": "é😊\ufffd",
        "thread_ts": "1.2",
        "email_delegation": {
            "reason": "cc",
            "is_delegate": True,
            "sender_email": "b@a.example",
            "thread_participants": [],
        },
        "params": {"day": "é😊", "n": 1.0},
    }


def test_what_is_unknown_is_left_out(integration: Integration, backend: FakeBackend) -> None:
    answered(integration, backend, Reply({"success": True}))
    body = backend.calls(ROUTE)[0].json
    assert body.keys() == {"invocation_id", "tenant_id", "principal", "channel", "params"}
    assert body["principal"] == {"ref": "m-1", "tier": "member", "is_admin": False}


def test_a_success_brings_its_data(integration: Integration, backend: FakeBackend) -> None:
    outcome = answered(integration, backend, Reply({"success": True, "data": {"rooms": ["Quay"]}}))
    assert (outcome.success, outcome.data, outcome.error, outcome.attempts) == (
        True,
        {"rooms": ["Quay"]},
        None,
        1,
    )


def test_a_failure_brings_its_sentence(integration: Integration, backend: FakeBackend) -> None:
    outcome = answered(
        integration, backend, Reply({"success": False, "error": " Taken. ", "error_detail": "row 7"})
    )
    assert (outcome.success, outcome.error, outcome.error_detail) == (False, "Taken.", "row 7")


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refusal_in_the_protocols_form_keeps_its_sentence(
    integration: Integration, backend: FakeBackend, status: int
) -> None:
    outcome = answered(
        integration, backend, Reply({"success": False, "error": "No such room."}, status=status)
    )
    assert (outcome.error, outcome.error_detail) == ("No such room.", f"HTTP {status}")


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"success": "true"}),
        Reply({"data": 1}),
        Reply([]),
        Reply(b""),
        Reply(b"<html>Login</html>", headers={"content-type": "text/html"}),
        Reply(b'{"success": true, "data": NaN}'),
        Reply(b'{"success": true, "data": 1e999}'),
        Reply(b"\xff\xfe"),
        Reply(b'{"success":true,"data":' + b"[" * 50_000),
        Reply(b'{"success":true}', hang_up="half_way"),
        Reply(b" " * (17 * 1024 * 1024)),
    ],
)
def test_an_unreadable_answer_is_final_and_leaves_the_outcome_open(
    integration: Integration, backend: FakeBackend, reply: Reply
) -> None:
    outcome = answered(integration, backend, reply)
    assert not outcome.success
    assert outcome.error is not None
    assert "cannot be read" in outcome.error
    assert "not known" in outcome.error
    assert len(backend.calls(ROUTE)) == 1


@pytest.mark.parametrize(
    "reply", [Reply(status=302, headers={"location": "/x"}), Reply({}, status=401), Reply({}, status=500)]
)
def test_the_model_never_sees_http(integration: Integration, backend: FakeBackend, reply: Reply) -> None:
    outcome = answered(integration, backend, reply)
    assert outcome.error is not None
    assert not any(character.isdigit() for character in outcome.error)
    assert "http" not in outcome.error.lower()
    assert outcome.error_detail == f"HTTP {reply.status}"
    assert [seen.path for seen in backend.requests] == ["/integration/tools/book_room"]


def test_pictures_are_split_off_and_checked(integration: Integration, backend: FakeBackend) -> None:
    good = {"name": "plan.png", "base64": base64.b64encode(PNG).decode(), "contentType": "image/png"}
    outcome = answered(
        integration,
        backend,
        Reply(
            {
                "success": True,
                "data": 1,
                "images": [
                    good,
                    {**good, "contentType": "image/svg+xml"},
                    {**good, "contentType": "image/jpeg"},
                    {**good, "base64": "!!"},
                    {**good, "base64": 5},
                    {"base64": good["base64"], "contentType": "image/png"},
                    "x",
                ],
            }
        ),
    )
    assert [(image.name, image.content_type, image.data) for image in outcome.images] == [
        ("plan.png", "image/png", PNG),
        ("image-6", "image/png", PNG),
    ]
    assert outcome.data == 1
    assert "PNG" not in repr(outcome)


def test_one_audit_row_an_invocation(integration: Integration, backend: FakeBackend) -> None:
    answered(integration, backend, Reply({"success": False, "error": "Taken."}, status=400))
    row = IntegrationToolCall.objects.get()
    assert (row.integration_name, row.tool_name, row.success, row.attempts) == (
        "foundations",
        "book_room",
        False,
        1,
    )
    assert (row.error, row.trace_id) == ("Taken. [HTTP 400]", "t-1")
    assert str(row.invocation_id) == backend.calls(ROUTE)[0].json["invocation_id"]


def test_arguments_json_cannot_carry_are_refused_unsent(
    integration: Integration, backend: FakeBackend
) -> None:
    assert not invoke(integration, n=float("nan")).success
    assert not invoke(integration, n=object()).success
    assert backend.requests == []
    assert IntegrationToolCall.objects.count() == 2


def test_a_disconnected_backend_is_not_called(integration: Integration, backend: FakeBackend) -> None:
    integration.status = Integration.Status.DISABLED
    integration.save()
    outcome = invoke(integration)
    assert (outcome.success, outcome.attempts) == (False, 0)
    assert backend.requests == []


def test_another_tenants_backend_is_not_there(
    integration: Integration, backend: FakeBackend, other_tenant: Any
) -> None:
    from apps.tenancy.context import tenant_context

    with tenant_context(other_tenant):
        assert not invoke(integration).success
    assert backend.requests == []


def test_a_reply_that_would_unfold_into_a_flood_of_objects_is_not_read(
    integration: Integration, backend: FakeBackend
) -> None:
    flood = b'{"success": true, "data": [' + b'{"a":{}},' * 100_000 + b"1]}"
    outcome = answered(integration, backend, Reply(flood))
    assert (outcome.success, outcome.outcome_unknown) == (False, True)
    assert "too many parts" in str(outcome.error_detail)
    text = "a, [b] {c} " * 20_000
    assert answered(integration, backend, Reply({"success": True, "data": text})).data == text.strip() + " "
