"""What happened, to read: calls, costs, turns, messages, open matters (contract §2.1, §2.4, §4.7).

Operators run the platform; what members said and what their assistants answered is not theirs to read. These pages
show who, when, how long and whether it worked.
"""

from __future__ import annotations

from django.contrib import admin

from apps.agent.models import AgentRun, HumanIntervention
from apps.agent.models.interventions import InterventionCategory
from apps.dashboard.ops.admin.base import ReadOnly
from apps.dashboard.ops.admin.columns import ChannelFilter, DirectionFilter, TenantFilter, one_cell
from apps.tenancy.models import IntegrationToolCall


class ToolCallPage(ReadOnly):
    """Calls to tenants' backends."""

    list_display = (
        "created_at",
        "tenant",
        "tool_name",
        "success",
        "duration_ms",
        "attempts",
        "integration_name",
    )
    list_filter = ("success", TenantFilter)
    search_fields = ("tool_name", "integration_name", "trace_id", "tenant__slug")
    search_help_text = "By tool, backend, trace or community."
    fields = (
        "tool_name",
        "integration_name",
        "tenant",
        "invocation_id",
        "success",
        "attempts",
        "duration_ms",
        "error_line",
        "trace_id",
        "created_at",
    )
    nothing_yet = "No backend was called yet."

    @admin.display(description="error")
    def error_line(self, row: IntegrationToolCall) -> str:
        return one_cell(row.error) or "—"


class ModelUsagePage(ReadOnly):
    """Calls to language models and what they cost."""

    list_display = ("created_at", "tenant", "purpose", "cost_usd", "total_tokens", "model")
    list_filter = (TenantFilter,)
    search_fields = ("purpose", "model", "trace_id", "tenant__slug")
    search_help_text = "By purpose, model, trace or community."
    fields = (
        "purpose",
        "model",
        "tenant",
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cost_usd",
        "trace_id",
        "created_at",
    )
    nothing_yet = "No model was asked yet."


class MessagePage(ReadOnly):
    """Messages in and out, without their words."""

    list_display = ("message_at", "tenant", "channel", "direction", "status", "source", "exchange_key")
    list_filter = (ChannelFilter, DirectionFilter, TenantFilter)
    search_fields = ("exchange_key", "external_message_id", "tenant__slug")
    search_help_text = "By exchange, the carrier's message id, or community."
    fields = (
        "tenant",
        "channel",
        "direction",
        "source",
        "status",
        "message_at",
        "exchange_key",
        "dedupe_key",
        "external_message_id",
        "created_at",
    )
    newest_first = ("-message_at",)
    nothing_yet = "Nobody has said anything yet."


class MatterPage(ReadOnly):
    """What waits for a community's people. Only the platform's own failures are told in words."""

    list_display = ("created_at", "tenant", "status", "category", "what", "channel")
    list_filter = ("status", "category", TenantFilter)
    search_fields = ("=id", "tenant__slug")
    search_help_text = "By the whole id, or community."
    fields = ("category", "status", "channel", "tenant", "what", "created_at", "updated_at")
    nothing_yet = "Nothing waits for anybody."

    @admin.display(description="what")
    def what(self, row: HumanIntervention) -> str:
        return one_cell(row.title) if row.category == InterventionCategory.SYSTEM_FAILURE else "—"


class RunPage(ReadOnly):
    """Turns: how they went, not what was said."""

    list_display = (
        "started_at",
        "tenant",
        "success",
        "failure",
        "seconds",
        "channel",
        "tier",
        "source",
        "trace",
    )
    list_filter = ("success", ChannelFilter, TenantFilter)
    search_fields = ("=run_id", "tenant__slug")
    search_help_text = "By the whole trace id, or community."
    fields = (
        "trace",
        "tenant",
        "channel",
        "source",
        "tier",
        "success",
        "failure",
        "started_at",
        "finished_at",
        "seconds",
        "usage",
    )
    nothing_yet = "No turn was recorded yet."

    @admin.display(description="trace id")
    def trace(self, row: AgentRun) -> str:
        return row.run_id.hex

    @admin.display(description="seconds")
    def seconds(self, row: AgentRun) -> str:
        return f"{(row.finished_at - row.started_at).total_seconds():.1f}"
