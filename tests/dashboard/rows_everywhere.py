"""A row in every table the admin shows, with a marker wherever a secret or what somebody said would be."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.utils import timezone

if TYPE_CHECKING:
    from django.db.models import Model

    from apps.tenancy.models import Tenant


def fill(tenant: Tenant, *, marker: str, number: int = 0) -> dict[type[Model], Any]:
    """One row a table, by model; what hides in them is the marker."""
    from django_celery_beat.models import IntervalSchedule, PeriodicTask

    from apps.tenancy.context import tenant_context
    from apps.tenancy.jobs.schedule import TICK
    from apps.tenancy.models import PlatformAdmin, QueueJob, QueueJobEvent, Tenant
    from apps.tenancy.platform_admins import add_platform_admin

    interval, _ = IntervalSchedule.objects.get_or_create(every=60, period=IntervalSchedule.SECONDS)
    rows: dict[type[Model], Any] = {
        Tenant: tenant,
        PlatformAdmin: add_platform_admin(f"op{number}@platform.example"),
        QueueJob: QueueJob.objects.create(
            tenant=tenant,
            queue="notifications",
            key=f"k{number}",
            payload={"words": marker},
            checkpoint={"words": marker},
        ),
        QueueJobEvent: QueueJobEvent.objects.create(
            queue="notifications", job_id=uuid.uuid4(), status="failed", error="Unavailable"
        ),
        PeriodicTask: PeriodicTask.objects.create(
            name=f"root: test {number}", task=TICK, interval=interval, headers=f'{{"x": "{marker}"}}'
        ),
    }
    with tenant_context(tenant):
        _hide_what_no_page_shows(marker, number)
        return rows | _scoped(marker, number)


def _scoped(marker: str, number: int) -> dict[type[Model], Any]:
    from apps.agent.models import AgentRun, ConversationLog, HumanIntervention
    from apps.integrations.models import Integration
    from apps.tenancy.models import IntegrationToolCall, LlmTokenUsage, TenantApiKey, TenantUser

    now = timezone.now()
    made = [
        TenantUser(email=f"user{number}@harbour.example", role="viewer"),
        TenantApiKey(
            name="ci",
            token_prefix=f"rpk_live_{number:08x}",
            token_hash=f"{marker}{number}",
            environment="live",
        ),
        Integration(
            name=f"backend-{number}",
            base_url=f"https://user:{marker}@backend.example/path?key={marker}",
            signing_secret=marker,
            callback_token=marker,
            manifest={"secret": marker},
            tool_overrides={"x": marker},
        ),
        AgentRun(
            run_id=uuid.uuid4(),
            channel="web",
            started_at=now,
            finished_at=now,
            success=True,
            member_id=marker,
            thread_key=marker,
            rounds=[marker],
            error=marker,
        ),
        ConversationLog(
            dedupe_key=f"d{number}:in",
            exchange_key=f"d{number}",
            channel="web",
            direction="inbound",
            message_text=marker,
            subject=marker,
            from_email=marker,
            to_email=marker,
            metadata={"x": marker},
            thread_key=marker,
        ),
        HumanIntervention(
            channel="web", category="request", title=marker, details=marker, metadata={"x": marker}
        ),
        IntegrationToolCall(
            integration_name="house",
            tool_name="search",
            invocation_id=uuid.uuid4(),
            duration_ms=3,
            success=True,
        ),
        LlmTokenUsage(purpose="agent", model="m"),
    ]
    for row in made:
        row.save()
    return {type(row): row for row in made}


def _hide_what_no_page_shows(marker: str, number: int) -> None:
    from apps.tenancy.models import TenantChannel, TenantCredential

    if number == 0:
        TenantChannel.objects.create(type="web", secrets={"access_token": marker})
    TenantCredential.objects.create(kind=f"slack{number}", value=marker)
