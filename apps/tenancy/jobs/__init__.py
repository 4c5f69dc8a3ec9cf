"""Background jobs: Postgres remembers them, Celery carries nudges (contract §13)."""

from apps.tenancy.jobs import watch
from apps.tenancy.jobs.enqueue import enqueue, enqueue_tick
from apps.tenancy.jobs.job import GiveUp, Job, Later, LostClaim
from apps.tenancy.jobs.registry import handler
from apps.tenancy.jobs.run import run_due

__all__ = ["GiveUp", "Job", "Later", "LostClaim", "enqueue", "enqueue_tick", "handler", "run_due", "watch"]
