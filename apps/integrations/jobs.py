"""Background work with tenants' backends (contract §13)."""

from __future__ import annotations

from apps.integrations import rosters
from apps.integrations.rootint.registry import active_rows
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import active_tenants

ROSTER_SWEEP = "principal-roster-sweep"


@jobs.handler(ROSTER_SWEEP)
def sweep_rosters(job: jobs.Job) -> None:
    """A tick asks for one run a tenant with an active backend; a tenant's run pulls its rosters."""
    if job.tenant_id is not None:
        rosters.sweep(job)
        return
    for tenant in active_tenants():
        with tenant_context(tenant):
            if active_rows():
                jobs.enqueue(ROSTER_SWEEP, key="roster", payload={})
