"""Background work of the agent (contract §13)."""

from __future__ import annotations

from apps.agent.interventions import notifying
from apps.tenancy import jobs


@jobs.handler(notifying.NOTIFICATIONS, gave_up=notifying.gave_up)
def notify(job: jobs.Job) -> None:
    """Tells one target of one intervention."""
    notifying.deliver(job)
