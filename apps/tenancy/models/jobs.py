"""The job table: Postgres remembers what is to be done (contract §13)."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Coalesce, Now

NO_TENANT = uuid.UUID(int=0)
"""Stands for "no tenant" where an order over tenants needs a value."""


class JobState(models.TextChoices):
    """Waiting has never been started; retrying has, and keeps its key until it ends."""

    WAITING = "waiting"
    RUNNING = "running"
    RETRYING = "retrying"
    DONE = "done"
    FAILED = "failed"


_READY = Q(state__in=[JobState.WAITING, JobState.RETRYING])
_STARTED = Q(state__in=[JobState.RUNNING, JobState.RETRYING])
_NIL = Value(NO_TENANT, output_field=models.UUIDField())


class QueueJob(models.Model):
    """One job. Platform machinery rather than community data, so its manager is not scoped.

    Ticks belong to no tenant; every other row does, and its run enters that tenant's context.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey("tenancy.Tenant", on_delete=models.CASCADE, null=True, related_name="+")
    queue = models.TextField()
    key = models.TextField()
    serial_by = models.TextField(null=True)  # noqa: DJ001 -- absent and empty differ
    tick = models.BooleanField(default=False)
    payload: models.JSONField[Any, Any] = models.JSONField(default=dict)
    checkpoint: models.JSONField[Any, Any] = models.JSONField(null=True)
    state = models.TextField(choices=JobState.choices, default=JobState.WAITING)
    run_after = models.DateTimeField(db_default=Now())
    asked = models.PositiveIntegerField(default=1)
    attempts = models.PositiveIntegerField(default=0)
    fence = models.PositiveBigIntegerField(default=0)
    claimed_by = models.TextField(default="")
    claimed_at = models.DateTimeField(null=True)
    beat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.TextField(default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "queue_jobs"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="queue_jobs_state_known"),
            models.CheckConstraint(
                condition=Q(tick=False) | Q(tenant=None), name="queue_jobs_tick_no_tenant"
            ),
            models.UniqueConstraint(
                fields=["tenant", "queue", "key"],
                condition=Q(state=JobState.WAITING),
                nulls_distinct=False,
                name="queue_jobs_one_waiting",
            ),
            models.UniqueConstraint(
                fields=["tenant", "queue", "key"],
                condition=_STARTED,
                nulls_distinct=False,
                name="queue_jobs_one_running",
            ),
            models.UniqueConstraint(
                fields=["tenant", "queue", "serial_by"],
                condition=Q(state=JobState.RUNNING, serial_by__isnull=False),
                nulls_distinct=False,
                name="queue_jobs_serial_running",
            ),
            # Over finished rows too: two schedulers make one tick of a time slot.
            models.UniqueConstraint(
                fields=["queue", "key"], condition=Q(tick=True), name="queue_jobs_one_tick_a_slot"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                "queue", Coalesce("tenant", _NIL), "run_after", condition=_READY, name="queue_jobs_in_turn"
            ),
            models.Index("queue", "run_after", condition=_READY, name="queue_jobs_due"),
            models.Index("beat_at", condition=Q(state=JobState.RUNNING), name="queue_jobs_beats"),
            models.Index("finished_at", condition=Q(finished_at__isnull=False), name="queue_jobs_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.queue}: {self.key}"


class QueueJobEvent(models.Model):
    """One job that ended; written with the row's own end, kept for thirty days (contract §2.6, §13)."""

    class Status(models.TextChoices):
        COMPLETED = "completed"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    queue = models.TextField()
    job_id = models.UUIDField()
    status = models.TextField(choices=Status.choices)
    duration_ms = models.IntegerField(null=True)
    error = models.TextField(default="", db_default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "queue_job_events"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["completed", "failed"]), name="queue_job_events_status_known"
            )
        ]
        indexes: ClassVar = [
            models.Index("queue", "created_at", name="queue_job_events_by_queue"),
            models.Index("created_at", name="queue_job_events_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.queue}: {self.status}"
