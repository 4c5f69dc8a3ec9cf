"""Queues past a threshold become a matter for the platform's own team, once an hour for each cause (contract §13)."""

from __future__ import annotations

from apps.agent.interventions.system_failures import SystemFailure, report
from apps.foundation.text import one_line
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs.alerts import Cause, QueueAlert
from apps.tenancy.models import ROOT_TENANT_SLUG
from apps.tenancy.tenants import find_tenant

_TITLES: dict[Cause, str] = {
    "depth": "Jobs pile up in {queue}",
    "lag": "Jobs of {queue} wait too long",
    "failures": "Jobs of {queue} fail",
}


def hear(alert: QueueAlert) -> None:
    """Opens an intervention for the root tenant, or counts the alert to the one of the last hour."""
    failure = SystemFailure(
        cause=f"queue:{alert.queue}:{alert.cause}",
        title=_TITLES[alert.cause].format(queue=one_line(alert.queue)),
        explanation=alert.sentence,
    )
    with tenant_context(find_tenant(ROOT_TENANT_SLUG)):
        report(failure, channel="api", trace_id="")
