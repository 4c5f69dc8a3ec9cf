"""Records go after thirty days, results of actions after one."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest

from apps.agent.models import AgentRun, AgentToolCall, RunProduct
from apps.foundation import clock
from apps.tenancy.context import tenant_context
from apps.tenancy.jobs import retention as job_retention
from apps.tenancy.models import Tenant
from apps.tenancy.scoping import TenantModel


def aged(model: type[TenantModel], days: float, **fields: Any) -> TenantModel:
    row = model(**fields, **{"run_id": uuid.uuid4()})
    row.save()
    model.objects.filter(pk=row.pk).update(created_at=clock.now() - timedelta(days=days))
    return row


def run(days: float) -> TenantModel:
    now = clock.now()
    return aged(AgentRun, days, channel="web", success=True, started_at=now, finished_at=now)


@pytest.mark.django_db
def test_old_records_of_every_community_leave_with_the_jobs(tenant: Tenant, other_tenant: Tenant) -> None:
    for community in (tenant, other_tenant):
        with tenant_context(community):
            for days in (29, 31):
                run(days)
                aged(AgentToolCall, days, name="book_room")
                aged(RunProduct, days, kind="answer", ref="x")
    assert job_retention.sweep() == 6
    for community in (tenant, other_tenant):
        with tenant_context(community):
            left = [model.objects.count() for model in (AgentRun, AgentToolCall, RunProduct)]
            assert left == [1, 1, 1]


@pytest.mark.django_db
def test_results_are_forgotten_after_a_day_and_the_row_stays(in_tenant: Tenant) -> None:
    old = aged(AgentToolCall, 1.1, name="book_room", state="done", success=True, result={"success": True})
    new = aged(AgentToolCall, 0.9, name="book_room", state="done", success=True, result={"success": True})
    assert job_retention.sweep() == 0
    assert AgentToolCall.objects.get(pk=old.pk).result is None
    assert AgentToolCall.objects.get(pk=new.pk).result == {"success": True}
