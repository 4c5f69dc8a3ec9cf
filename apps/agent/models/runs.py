"""The record of a turn: the run, its tool calls with the journal of what they changed, what it made (contract §4.7).

References and redacted arguments only; rows leave after thirty days.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.tenancy.models import Principal
from apps.tenancy.scoping import TenantModel


class AgentRun(TenantModel):
    """One turn. ``run_id`` in hexadecimal is its trace id; a re-run under the same id rewrites the row."""

    run_id = models.UUIDField()
    principal = models.ForeignKey(
        Principal, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    member_id = models.TextField(default="", db_default="", blank=True)
    tier = models.TextField(default="", db_default="", blank=True)
    channel = models.TextField()
    source = models.TextField(default="runtime", db_default="runtime")
    thread_key = models.TextField(default="", db_default="", blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    success = models.BooleanField()
    failure = models.TextField(default="", db_default="", blank=True)
    error = models.TextField(default="", db_default="", blank=True)
    rounds = models.JSONField(default=list, db_default=[], blank=True)
    recoveries = models.JSONField(default=list, db_default=[], blank=True)
    usage = models.JSONField(default=dict, db_default={}, blank=True)
    prompt_layers = models.JSONField(default=list, db_default=[], blank=True)

    class Meta(TenantModel.Meta):
        db_table = "agent_runs"
        constraints = [models.UniqueConstraint(name="agent_runs_run", fields=["tenant", "run_id"])]
        indexes = [
            models.Index(name="agent_runs_by_id", fields=["run_id"]),
            models.Index(name="agent_runs_recent", fields=["tenant", "-created_at"]),
            models.Index(name="agent_runs_age", fields=["created_at"]),
        ]

    def __str__(self) -> str:
        return self.run_id.hex


class CallState(models.TextChoices):
    """Where a call stands. Only calls that change something pass through the journal's three states."""

    RECORDED = "recorded"  # written after the fact
    INTENT = "intent"  # announced; nobody knows yet whether it happened
    DONE = "done"  # happened, and this is what came of it
    UNKNOWN = "unknown"  # given up on: it may have happened


class AgentToolCall(TenantModel):
    """One call of a run. ``result`` is kept only where a re-run would have to repeat it, and only for a day."""

    run_id = models.UUIDField()
    invocation_id = models.UUIDField(null=True, blank=True)
    call_id = models.TextField(default="", db_default="", blank=True)
    name = models.TextField()
    round = models.IntegerField(default=0, db_default=0)
    position = models.IntegerField(default=0, db_default=0)
    mutates = models.BooleanField(default=False, db_default=False)
    state = models.TextField(default=CallState.RECORDED, db_default=CallState.RECORDED)
    outcome = models.TextField(default="", db_default="", blank=True)
    success = models.BooleanField(null=True, blank=True)
    error = models.TextField(default="", db_default="", blank=True)
    duration_ms = models.IntegerField(default=0, db_default=0)
    arguments = models.JSONField(default=dict, db_default={}, blank=True)
    arguments_digest = models.TextField(default="", db_default="", blank=True)
    result = models.JSONField(null=True, blank=True)
    flight = models.JSONField(null=True, blank=True)
    notes = models.JSONField(default=list, db_default=[], blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        db_table = "agent_tool_calls"
        constraints = [
            # The claim on an action: whoever writes the row may carry it out, and nobody else ever again.
            models.UniqueConstraint(name="agent_tool_calls_invocation", fields=["tenant", "invocation_id"]),
            models.CheckConstraint(
                name="agent_tool_calls_state_known", condition=Q(state__in=CallState.values)
            ),
        ]
        indexes = [
            models.Index(name="agent_tool_calls_run", fields=["run_id", "position"]),
            models.Index(name="agent_tool_calls_age", fields=["created_at"]),
            models.Index(
                name="agent_tool_calls_kept_results",
                fields=["created_at"],
                condition=Q(result__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"


class RunProduct(TenantModel):
    """Something a run made, by reference: its answer, a request it handed to people."""

    run_id = models.UUIDField()
    kind = models.TextField()
    ref = models.TextField()

    class Meta(TenantModel.Meta):
        db_table = "run_products"
        constraints = [
            models.UniqueConstraint(name="run_products_once", fields=["tenant", "run_id", "kind", "ref"])
        ]
        indexes = [
            models.Index(name="run_products_run", fields=["run_id"]),
            models.Index(name="run_products_age", fields=["created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"
