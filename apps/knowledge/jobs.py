"""Background work of the knowledge base (contract §13)."""

from __future__ import annotations

import logging

from apps.knowledge import sweep
from apps.knowledge.slack_index import arriving, distillation, distilling, events, extraction, review
from apps.knowledge.sync import perform, scheduler
from apps.tenancy import jobs
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import active_tenants

log = logging.getLogger(__name__)

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


@jobs.handler("knowledge-source-scheduler")
def ask_for_due_syncs(job: jobs.Job) -> None:
    """Each minute, community by community; what goes wrong in one keeps no other from its syncs."""
    for tenant in active_tenants():
        try:
            with tenant_context(tenant):
                scheduler.enqueue_due()
        except Exception:
            log.exception("the syncs of %s could not be asked for", tenant.slug)


@jobs.handler("knowledge-source-sync", gave_up=perform.gave_up)
def sync_source(job: jobs.Job) -> None:
    """One run of one source."""
    perform.perform(job)


@jobs.handler(events.QUEUE)
def take_in_slack(job: jobs.Job) -> None:
    """A message that was said, or a page of a channel's history."""
    arriving.arrive(job)


@jobs.handler(distilling.QUEUE)
def distill_thread(job: jobs.Job) -> None:
    """A thread, ten minutes after the last that was said in it."""
    distillation.distill_thread(job.payload["channel_id"], job.payload["thread_ts"])


@jobs.handler(extraction.QUEUE)
def extract_knowledge(job: jobs.Job) -> None:
    """A tick asks for one run a tenant that has talk to read; a tenant's run proposes entries and reviews them."""
    if job.tenant_id is not None:
        extraction.propose(stopping=lambda: job.stopping)
        review.review(stopping=lambda: job.stopping)
        return
    for tenant in active_tenants():
        with tenant_context(tenant):
            if extraction.has_work():
                jobs.enqueue(extraction.QUEUE, key="extract", payload={})
