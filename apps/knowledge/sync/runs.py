"""The life of a run: claimed, kept, settled; each step counts once (contract §11.2)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.foundation.clock import now
from apps.foundation.text import clean
from apps.knowledge import broken
from apps.knowledge.locks import lock_syncs
from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync.failure import RunOver
from apps.tenancy import jobs
from apps.tenancy.context import current_tenant
from apps.tenancy.limits import limits

ABANDONED: Final = timedelta(minutes=30)
ABANDONED_SCHEDULER: Final = timedelta(hours=2)
CAP_REST: Final = timedelta(seconds=5)
MOST_FAILURES: Final = 3
ANOTHER_RUNS: Final = (
    "Another run of this source is active. Nothing of this one was stored; sync again when it is done."
)
Status = KnowledgeSyncRun.Status
_UNSETTLED: Final = (Status.QUEUED, Status.RUNNING)


def claim(job: jobs.Job) -> KnowledgeSyncRun:
    """The job's run, running; after a crash the one it had begun.

    Raises :class:`RunOver` when there is nothing to run (settled, deleted, refused because another run of the source
    is active), and ``Later`` while as many syncs of this tenant run as may.
    """
    try:
        with job.fenced():
            run = _begin(job)
    except IntegrityError as error:
        if "knowledge_sync_runs_one_running" not in str(error):
            raise
        run = None
    if run is None:
        settle_failed(job, _run_id(job), ANOTHER_RUNS, counts=False)
    if run is None or run.status != Status.RUNNING:
        raise RunOver
    return run


def settle_failed(
    job: jobs.Job, run_id: UUID | None, message: str, *, counts: bool = True, **details: Any
) -> None:
    """Ends the run as failed, and the job with it. What does not count says nothing about the source."""
    with job.fenced(finish=True):
        if run_id is not None:
            fail(run_id, message, counts=counts, **details)


def fail(run_id: UUID, message: str, *, counts: bool = True, **details: Any) -> bool:
    """The same in the caller's transaction, with other columns to set; False when it is settled already."""
    _lock_source_of(run_id)
    unsettled = KnowledgeSyncRun.objects.filter(pk=run_id, status__in=_UNSETTLED).defer("input_payload")
    run = unsettled.select_for_update().first()
    if run is None:
        return False
    run.status, run.error, run.finished_at = Status.FAILED, clean(message)[:2_000], now()
    for name, value in details.items():
        setattr(run, name, value)
    run.save(update_fields=["status", "error", "finished_at", *details])
    if counts:
        _count_failure(run.source_id, run.error)
    return True


def succeed(run: KnowledgeSyncRun, *, status: str, counters: dict[str, int], **details: Any) -> None:
    """Ends the run well, in the caller's transaction; the source is active again, unless it was paused."""
    source = KnowledgeSource.objects.select_for_update(no_key=True).filter(pk=run.source_id).first()
    values = {"status": status, "finished_at": now(), "error": None, **counters, **details}
    changed = KnowledgeSyncRun.objects.filter(pk=run.pk, status=Status.RUNNING).update(**values)
    if source is None or not changed:
        raise RunOver
    source.consecutive_failures, source.last_error, source.last_synced_at = 0, "", now()
    if source.status == KnowledgeSource.Status.ERROR:
        source.status = KnowledgeSource.Status.ACTIVE
    source.save(
        update_fields=["consecutive_failures", "last_error", "last_synced_at", "status", "updated_at"]
    )


def fail_abandoned(source_ids: list[UUID] | None = None, *, older_than: timedelta) -> int:
    """Ends runs nobody works on any more, of some sources or of all; gives the number."""
    stuck = KnowledgeSyncRun.objects.filter(status=Status.RUNNING, started_at__lt=now() - older_than)
    if source_ids is not None:
        stuck = stuck.filter(source_id__in=source_ids)
    minutes = int(older_than.total_seconds() // 60)
    message = f"The run was given up: it had been under way for more than {minutes} minutes."
    with transaction.atomic():
        return sum(fail(run_id, message) for run_id in list(stuck.values_list("pk", flat=True)))


def held_source(run: KnowledgeSyncRun) -> KnowledgeSource:
    """The source as it is now, locked against change in the caller's transaction.

    Raises :class:`RunOver` when it was paused or deleted meanwhile, or the run was ended by others.
    """
    rows = KnowledgeSource.objects.select_for_update(no_key=True)
    source: KnowledgeSource | None = rows.filter(pk=run.source_id).first()
    alive = KnowledgeSyncRun.objects.filter(pk=run.pk, status=Status.RUNNING).exists()
    if source is None or source.status == source.Status.PAUSED or not alive:
        raise RunOver
    return source


def _begin(job: jobs.Job) -> KnowledgeSyncRun | None:
    run_id = _run_id(job)
    source = _lock_source_of(run_id)
    unsettled = KnowledgeSyncRun.objects.select_for_update().filter(status__in=_UNSETTLED)
    run: KnowledgeSyncRun | None = unsettled.filter(pk=run_id).first()
    if run is None or source is None:
        raise RunOver
    refusal = _refusal(source, run)
    if refusal:
        fail(run.pk, refusal, counts=False)
        run.status = Status.FAILED
        return run
    if run.status == Status.RUNNING:
        return run
    lock_syncs()
    moment = now()
    fail_abandoned([source.pk], older_than=ABANDONED)
    running = KnowledgeSyncRun.objects.filter(status=Status.RUNNING)
    if running.filter(source=source).exists():
        return None
    if _under_way(moment) >= limits().sync_cap:
        raise jobs.Later(CAP_REST)
    run.status, run.started_at, run.queue_job_id = Status.RUNNING, moment, job.id
    run.save(update_fields=["status", "started_at", "queue_job_id"])
    return run


def _lock_source_of(run_id: UUID | None) -> KnowledgeSource | None:
    """Everybody locks the source first and its runs after, so that no two wait for each other."""
    named = KnowledgeSyncRun.objects.filter(pk=run_id).values("source_id")[:1]
    rows = KnowledgeSource.objects.select_for_update(no_key=True)
    found: KnowledgeSource | None = rows.filter(pk__in=named).first()
    return found


def _under_way(moment: datetime) -> int:
    """Runs that take a place; what was abandoned takes none."""
    return KnowledgeSyncRun.objects.filter(status=Status.RUNNING, started_at__gte=moment - ABANDONED).count()


def _refusal(source: KnowledgeSource, run: KnowledgeSyncRun) -> str:
    if not current_tenant().is_active:
        return "The community is not active."
    if source.status == KnowledgeSource.Status.PAUSED:
        return "The source is paused."
    if run.trigger_type == KnowledgeSyncRun.Trigger.SCHEDULE and source.status != source.Status.ACTIVE:
        return "The source is in error, so its schedule rests until a run by hand succeeds."
    return ""


def _count_failure(source_id: UUID, message: str) -> None:
    source = KnowledgeSource.objects.select_for_update(no_key=True).filter(pk=source_id).first()
    if source is None:
        return
    source.consecutive_failures += 1
    source.last_error = message
    breaks = source.consecutive_failures >= MOST_FAILURES and source.status == source.Status.ACTIVE
    if breaks:
        source.status = source.Status.ERROR
    source.save(update_fields=["consecutive_failures", "last_error", "status", "updated_at"])
    if breaks:
        broken.tell(source)


def _run_id(job: jobs.Job) -> UUID | None:
    try:
        return UUID(str(job.payload.get("run_id")))
    except ValueError:
        return None
