"""Where pages come from, and each time they were fetched or delivered (contract §2.5, §11)."""

# ruff: noqa: DJ001 - in these columns NULL means "not set", which the empty string would hide.

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenancy.scoping import TenantModel

MIN_INTERVAL_MINUTES = 5
MAX_INTERVAL_MINUTES = 43_200


class KnowledgeSource(TenantModel):
    """One source; ``secrets`` (token, password, webhook_signing_secret) never leaves the server."""

    class Kind(models.TextChoices):
        WEB_PAGE = "web_page"
        API_PULL = "api_pull"
        WEBHOOK = "webhook"
        API_PUSH = "api_push"

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        ERROR = "error"

    source_key = models.TextField()
    name = models.TextField()
    source_kind = models.TextField(choices=Kind.choices)
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE, db_default="active")
    url = models.TextField(null=True)
    http_method = models.TextField(default="GET", db_default="GET")
    request_headers = models.JSONField(default=dict, db_default={})
    request_body = models.JSONField(null=True)
    auth_type = models.TextField(default="none", db_default="none")
    auth_config = models.JSONField(default=dict, db_default={})
    secrets = models.JSONField(default=dict, db_default={})
    response_mode = models.TextField(default="auto", db_default="auto")
    mapping = models.JSONField(default=dict, db_default={})
    schedule_interval_minutes = models.IntegerField(null=True)
    next_sync_at = models.DateTimeField(null=True)
    replace_missing = models.BooleanField(default=False, db_default=False)
    ai_cleanup = models.BooleanField(default=False, db_default=False)
    ai_cleanup_instructions = models.TextField(null=True)
    # What its pages get as their own.
    audience_tiers = ArrayField(models.TextField(), null=True)
    consecutive_failures = models.IntegerField(default=0, db_default=0)
    last_synced_at = models.DateTimeField(null=True)
    last_error = models.TextField(default="", db_default="")
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta(TenantModel.Meta):
        db_table = "knowledge_sources"
        constraints = [
            models.UniqueConstraint(name="knowledge_sources_key", fields=["tenant", "source_key"]),
            # The target of composite foreign keys.
            models.UniqueConstraint(name="knowledge_sources_tenant_id", fields=["tenant", "id"]),
            models.CheckConstraint(
                name="knowledge_sources_kind_known",
                condition=Q(source_kind__in=["web_page", "api_pull", "webhook", "api_push"]),
            ),
            models.CheckConstraint(
                name="knowledge_sources_status_known", condition=Q(status__in=["active", "paused", "error"])
            ),
            models.CheckConstraint(
                name="knowledge_sources_method_known", condition=Q(http_method__in=["GET", "POST"])
            ),
            models.CheckConstraint(
                name="knowledge_sources_auth_known",
                condition=Q(auth_type__in=["none", "bearer", "basic", "api_key"]),
            ),
            models.CheckConstraint(
                name="knowledge_sources_mode_known",
                condition=Q(response_mode__in=["auto", "html", "text", "json"]),
            ),
            models.CheckConstraint(
                name="knowledge_sources_interval",
                condition=Q(schedule_interval_minutes__isnull=True)
                | Q(schedule_interval_minutes__range=(MIN_INTERVAL_MINUTES, MAX_INTERVAL_MINUTES)),
            ),
        ]
        indexes = [
            models.Index(
                name="knowledge_sources_due",
                fields=["next_sync_at"],
                condition=Q(status="active", schedule_interval_minutes__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.source_key


class KnowledgeSyncRun(TenantModel):
    """One sync of one source, with what came of it; at most one of a source runs."""

    class Trigger(models.TextChoices):
        MANUAL = "manual"
        SCHEDULE = "schedule"
        API = "api"
        WEBHOOK = "webhook"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        TRIGGERED = "triggered"
        FAILED = "failed"

    source = models.ForeignKey(
        KnowledgeSource, on_delete=models.CASCADE, related_name="runs", db_constraint=False, db_index=False
    )
    trigger_type = models.TextField(choices=Trigger.choices)
    status = models.TextField(choices=Status.choices, default=Status.QUEUED, db_default="queued")
    documents_received = models.IntegerField(default=0, db_default=0)
    pages_created = models.IntegerField(default=0, db_default=0)
    pages_updated = models.IntegerField(default=0, db_default=0)
    pages_unchanged = models.IntegerField(default=0, db_default=0)
    pages_deleted = models.IntegerField(default=0, db_default=0)
    ai_cleaned = models.IntegerField(default=0, db_default=0)
    input_payload = models.JSONField(default=dict, db_default={})
    metadata = models.JSONField(default=dict, db_default={})
    http_status = models.IntegerField(null=True)
    error = models.TextField(null=True)
    queue_job_id = models.UUIDField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        db_table = "knowledge_sync_runs"
        constraints = [
            models.UniqueConstraint(
                name="knowledge_sync_runs_one_running", fields=["source"], condition=Q(status="running")
            ),
            models.CheckConstraint(
                name="knowledge_sync_runs_trigger_known",
                condition=Q(trigger_type__in=["manual", "schedule", "api", "webhook"]),
            ),
            models.CheckConstraint(
                name="knowledge_sync_runs_status_known",
                condition=Q(status__in=["queued", "running", "succeeded", "triggered", "failed"]),
            ),
        ]
        indexes = [
            models.Index(name="knowledge_sync_runs_recent", fields=["tenant", "source", "-created_at"]),
            models.Index(
                name="knowledge_sync_runs_going", fields=["started_at"], condition=Q(status="running")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.status}"
