"""Running claimed jobs until a queue has nothing due (contract §13)."""

import logging
from datetime import timedelta
from functools import partial

from apps.foundation import queues
from apps.foundation.database import give_back
from apps.tenancy.jobs import registry, settle
from apps.tenancy.jobs.claim import claim
from apps.tenancy.jobs.job import Job, Later, LostClaim
from apps.tenancy.jobs.runs import runs
from apps.tenancy.jobs.tenant import entered, is_inactive

log = logging.getLogger(__name__)

INACTIVE = "tenant inactive"
INACTIVE_REST = timedelta(minutes=15)


def drain(queue: str, *, limit: int | None = None) -> int:
    """Runs due jobs of a queue one after another; returns how many were run."""
    row = queues.queue(queue)
    registry.handler_for(queue)
    count = 0
    try:
        while (limit is None or count < limit) and _claim_and_run(row):
            count += 1
            give_back()
    finally:
        give_back()
    return count


def _claim_and_run(row: queues.Queue) -> bool:
    """One job, if any is due; one whose claim was under way when the stop came goes back unstarted."""
    with runs.at_work():
        job = None if runs.stopping else claim(row)
        if job is None:
            return False
        if runs.stopping:
            settle.persistently(partial(settle.hand_back, job))
            return False
        execute(job)
        return True


def run_due(*names: str, limit: int = 1000) -> int:
    """Runs what is due in these queues, or in all that have a handler, in this thread until none is left."""
    chosen = names or tuple(row.name for row in registry.handled())
    total = 0
    while total < limit:
        ran = sum(drain(name, limit=limit - total) for name in chosen)
        if not ran:
            break
        total += ran
    return total


def execute(job: Job) -> None:
    """Runs one claimed job in its tenant's context and closes the claim."""
    with runs.active(job):
        close = _outcome(job)
        if not job.closed and not settle.persistently(close):
            log.warning("job %s of %s ended after its claim was lost", job.id, job.queue.name)


def _outcome(job: Job) -> "partial[bool]":
    """Runs the handler; gives the step that closes the row accordingly."""
    if job.unreadable:
        return partial(settle.close_failed, job, "its row cannot be read")
    try:
        if job.queue.inactive != "handle" and is_inactive(job.tenant_id):
            return _put_off(job)
        with entered(job.tenant_id):
            registry.handler_for(job.queue.name).run(job)
    except Later as later:
        return partial(settle.hand_back, job, after=later.after)
    except LostClaim:
        return partial(bool, False)
    except Exception as error:
        log.warning("attempt %s of job %s in %s failed", job.attempt, job.id, job.queue.name, exc_info=error)
        return partial(settle.fail, job, error)
    return partial(settle.finish, job)


def _put_off(job: Job) -> "partial[bool]":
    """An inactive tenant's job: nothing comes of it where a later sweep asks again, else it waits."""
    if job.queue.inactive == "skip":
        return partial(settle.skip, job, INACTIVE)
    return partial(settle.hand_back, job, after=INACTIVE_REST, error=INACTIVE)
