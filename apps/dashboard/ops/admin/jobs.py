"""The job table and what became of jobs (contract §2.6, §13). What is in a job is the community's own and not shown."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django_celery_beat.models import PeriodicTask

from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.columns import TenantFilter, one_cell
from apps.dashboard.ops.admin.confirming import Step
from apps.foundation import queues
from apps.foundation.text import clean
from apps.tenancy.jobs.schedule import TICK
from apps.tenancy.models import QueueJob, QueueJobEvent


class QueueFilter(admin.SimpleListFilter):
    """One queue's rows; the names come from the code, not from a scan of the table."""

    title = "queue"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in queues.QUEUES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.value()
        return queryset if name is None else queryset.filter(queue=clean(name))


class JobPage(ReadOnly):
    """Jobs that wait, run, rest or ended lately."""

    list_display = ("queue", "state", "tenant", "error_line", "created_at", "attempts", "row_key")
    list_filter = ("state", QueueFilter, TenantFilter)
    search_fields = ("key", "queue", "tenant__slug")
    search_help_text = "By key, queue or community."
    fields = (
        "queue",
        "row_key",
        "serial_by",
        "tick",
        "state",
        "tenant",
        "asked",
        "attempts",
        "fence",
        "run_after",
        "claimed_by",
        "claimed_at",
        "beat_at",
        "finished_at",
        "error_line",
        "created_at",
    )
    nothing_yet = "No job waits, runs or ended lately."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("tenant").defer("payload", "checkpoint")

    @admin.display(description="key", ordering="key")
    def row_key(self, row: QueueJob) -> str:
        return one_cell(row.key)

    @admin.display(description="error")
    def error_line(self, row: QueueJob) -> str:
        return one_cell(row.error) or "—"


class JobEventPage(ReadOnly):
    """Jobs that ended, for thirty days."""

    list_display = ("queue", "status", "error_line", "created_at", "duration_ms")
    list_filter = ("status", QueueFilter)
    search_fields = ("=job_id", "queue")
    search_help_text = "By the job's whole id, or its queue."
    fields = ("queue", "job_id", "status", "duration_ms", "error_line", "created_at")
    newest_first = ("-created_at", "-id")
    nothing_yet = "No job has ended lately."

    @admin.display(description="error")
    def error_line(self, row: QueueJobEvent) -> str:
        return one_cell(row.error) or "—"


def _set_enabled(row: PeriodicTask, enabled: bool) -> None:
    row.enabled = enabled
    # Saved whole: that tells the scheduler to read its rows again.
    row.save()


class SchedulePage(ReadOnly):
    """What ticks when. An operator may pause a row; everything else is written from the code at each start."""

    list_display = ("name", "interval", "enabled", "last_run_at", "total_run_count")
    list_filter = ("enabled",)
    search_fields = ("name",)
    fields = ("name", "description", "interval", "enabled", "last_run_at", "total_run_count", "date_changed")
    newest_first = ("name",)
    nothing_yet = "The scheduler writes these rows when it first starts."
    steps: ClassVar = (
        Step(
            name="pause",
            verb="Pause",
            past="Paused",
            warning="It puts in no more ticks until it is resumed. Jobs that wait already are still done.",
            perform=lambda row: _set_enabled(row, False),
            applies=lambda row: row.enabled,
        ),
        Step(
            name="resume",
            verb="Resume",
            past="Resumed",
            warning="It ticks again, from its next time on.",
            perform=lambda row: _set_enabled(row, True),
            applies=lambda row: not row.enabled,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(task=TICK).select_related("interval")
