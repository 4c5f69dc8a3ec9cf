"""What was spent and what was called (contract §2.1, metering)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.tenancy.scoping import TenantModel


class LlmTokenUsage(TenantModel):
    """One call to a model."""

    purpose = models.TextField()
    model = models.TextField()
    prompt_tokens = models.IntegerField(default=0, db_default=0)
    completion_tokens = models.IntegerField(default=0, db_default=0)
    total_tokens = models.IntegerField(default=0, db_default=0)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, default=0, db_default=0)
    trace_id = models.TextField(default="", db_default="", blank=True)

    class Meta(TenantModel.Meta):
        db_table = "llm_token_usage"
        indexes = [
            models.Index(name="llm_usage_recent", fields=["tenant", "-created_at"]),
            models.Index(name="llm_usage_trace", fields=["trace_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.total_tokens}"


class IntegrationToolCall(TenantModel):
    """One invocation of a tenant backend's tool, whatever number of attempts it took."""

    integration_name = models.TextField()
    tool_name = models.TextField()
    invocation_id = models.UUIDField()
    duration_ms = models.IntegerField()
    success = models.BooleanField()
    error = models.TextField(default="", db_default="", blank=True)
    attempts = models.IntegerField(default=1, db_default=1)
    trace_id = models.TextField(default="", db_default="", blank=True)

    class Meta(TenantModel.Meta):
        db_table = "integration_tool_calls"
        indexes = [
            models.Index(name="integration_calls_recent", fields=["tenant", "-created_at"]),
            models.Index(name="integration_calls_trace", fields=["trace_id"]),
        ]

    def __str__(self) -> str:
        return self.tool_name


class ApiRequestUsage(TenantModel):
    """One metered request of a program, and what its turn or tool cost."""

    class Surface(models.TextChoices):
        REST_AGENT_TURN = "rest_agent_turn"
        REST_TOOL_EXECUTE = "rest_tool_execute"
        MCP_ASK_AGENT = "mcp_ask_agent"
        MCP_CALL_TOOL = "mcp_call_tool"

    surface = models.TextField(choices=Surface.choices)
    api_key = models.ForeignKey(
        "tenancy.TenantApiKey", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    llm_calls = models.IntegerField(default=0, db_default=0)
    prompt_tokens = models.IntegerField(default=0, db_default=0)
    completion_tokens = models.IntegerField(default=0, db_default=0)
    total_tokens = models.IntegerField(default=0, db_default=0)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, default=0, db_default=0)
    success = models.BooleanField(default=True, db_default=True)
    trace_id = models.TextField(default="", db_default="")

    class Meta(TenantModel.Meta):
        db_table = "api_request_usage"
        constraints = [
            models.CheckConstraint(
                name="api_request_usage_surface_known",
                condition=Q(
                    surface__in=["rest_agent_turn", "rest_tool_execute", "mcp_ask_agent", "mcp_call_tool"]
                ),
            )
        ]
        indexes = [models.Index(name="api_request_usage_recent", fields=["tenant", "-created_at"])]
