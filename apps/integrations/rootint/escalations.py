"""Telling a backend that a human is needed (contract §7.3, §15.2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

from apps.foundation.wire_json import clean_json, write_json
from apps.integrations.models import Integration
from apps.integrations.rootint.wire import expect_success, signed_json
from apps.tenancy.context import current_tenant_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """What is sent. ``type`` tells other notifications apart that share the endpoint."""

    intervention_id: UUID
    principal_ref: str
    user_name: str
    channel: str
    tier: str
    escalation_reason: str
    user_request_summary: str
    what_was_checked: str = ""
    type: str = "escalation"


def send_escalation(integration: Integration, escalation: Escalation) -> None:
    """Posts once; raises :class:`~apps.foundation.http_failure.HttpFailure`. A queue may try again."""
    body = {
        **asdict(escalation),
        "intervention_id": str(escalation.intervention_id),
        "tenant_id": str(current_tenant_id()),
    }
    status, _ = signed_json(
        integration, "escalations", body=write_json(clean_json(body)), reply_matters=False
    )
    expect_success(status)
