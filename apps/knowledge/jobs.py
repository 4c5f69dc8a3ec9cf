"""Background work of the knowledge base (contract §13)."""

from __future__ import annotations

from apps.knowledge import sweep
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import active_tenants

EMBEDDING_AUDIT = "embedding-audit"


@jobs.handler(EMBEDDING_AUDIT)
def audit_embeddings(job: jobs.Job) -> None:
    """A tick asks for one run a tenant that has something to embed; a tenant's run embeds it."""
    if job.tenant_id is not None:
        sweep.sweep(stopping=lambda: job.stopping)
        return
    for tenant in active_tenants():
        with tenant_context(tenant):
            if sweep.has_work():
                jobs.enqueue(EMBEDDING_AUDIT, key="audit", payload={})
