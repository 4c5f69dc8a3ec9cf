"""What a tool is told about the call: the request body of a tool invocation (contract §7.3).

A key whose value is unknown is left out; no key is ever sent as null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from apps.foundation.wire_json import clean_json, write_json
from apps.tenancy.context import current_tenant_id


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationPrincipal:
    """The person a tool acts for."""

    ref: str
    tier: str
    is_admin: bool = False
    display_name: str | None = None
    slack_user_id: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailDelegation:
    """On whose behalf a mail was written."""

    reason: str | None = None
    is_delegate: bool | None = None
    sender_email: str | None = None
    sender_name: str | None = None
    mentor_email: str | None = None
    mentor_name: str | None = None
    thread_participants: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One call of a tool. The id stays the same through every retry, so that a backend can recognise it."""

    principal: InvocationPrincipal
    channel: str
    invocation_id: UUID = field(default_factory=uuid4)
    slack_channel_id: str | None = None
    current_user_message: str | None = None
    thread_ts: str | None = None
    email_delegation: EmailDelegation | None = None
    trace_id: str | None = None


def invocation_body(invocation: Invocation, *, params: Mapping[str, Any]) -> bytes:
    """The bytes every attempt sends; raises :class:`~apps.foundation.wire_json.BadJson`."""
    person, delegation = invocation.principal, invocation.email_delegation
    body = {
        "invocation_id": str(invocation.invocation_id),
        "tenant_id": str(current_tenant_id()),
        "principal": _known(
            ref=person.ref,
            tier=person.tier,
            is_admin=person.is_admin,
            display_name=person.display_name,
            slack_user_id=person.slack_user_id,
            email=person.email,
        ),
        "channel": invocation.channel,
        **_known(
            slack_channel_id=invocation.slack_channel_id,
            current_user_message=invocation.current_user_message,
            thread_ts=invocation.thread_ts,
            email_delegation=None if delegation is None else _delegation(delegation),
        ),
        "params": dict(params),
    }
    return write_json(clean_json(body))


def _delegation(delegation: EmailDelegation) -> dict[str, Any]:
    return _known(
        reason=delegation.reason,
        is_delegate=delegation.is_delegate,
        sender_email=delegation.sender_email,
        sender_name=delegation.sender_name,
        mentor_email=delegation.mentor_email,
        mentor_name=delegation.mentor_name,
        thread_participants=list(delegation.thread_participants),
    )


def _known(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
