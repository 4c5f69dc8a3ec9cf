"""Job rows for an operator's eyes: never what is in them, for that is the communities' own (contract §13)."""

from django.db.models import QuerySet

from apps.foundation.errors import BadInput
from apps.foundation.text import clean
from apps.tenancy.jobs.by_hand import known_queue
from apps.tenancy.models import QueueJob
from apps.tenancy.models.jobs import JobState
from apps.tenancy.tenants import find_tenant


def rows(
    *, queue: str | None = None, state: str | None = None, tenant_slug: str | None = None
) -> "QuerySet[QueueJob]":
    """Rows newest first, those that are done only when asked for; raises :class:`BadInput` or ``NotFound``."""
    found = QueueJob.objects.select_related("tenant").defer("payload", "checkpoint").order_by("-created_at")
    if queue is not None:
        # Rows of a name that is in no release any more are just what somebody may be looking for.
        found = found.filter(queue=clean(queue))
        if not found.exists():
            known_queue(queue)
    if tenant_slug is not None:
        found = found.filter(tenant=find_tenant(tenant_slug))
    if state is None:
        return found.exclude(state=JobState.DONE)
    if state not in JobState.values:
        raise BadInput(f"A job's state is one of {', '.join(JobState.values)}.")
    return found.filter(state=state)
