"""A tenant backend's tools, as tools of the agent (contract §7.3, §7.5)."""

from __future__ import annotations

from typing import Any

from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.agent.tools.person import TurnPerson
from apps.integrations.rootint.client import invoke_tool
from apps.integrations.rootint.endpoints import ENDPOINTS
from apps.integrations.rootint.invocation import Invocation, InvocationPrincipal
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.registry import ActiveIntegration

# The client gives up on its own deadline with a better sentence; this much later nobody waits for it any more.
GRACE_SECONDS = 15.0


def backend_tool(integration: ActiveIntegration, declared: ManifestTool, *, asker: TurnPerson) -> Tool:
    """One manifest entry, ready to be called for the asker over signed HTTP."""

    def execute(arguments: dict[str, Any], use: ToolUse) -> ToolResult:
        outcome = invoke_tool(
            integration.id,
            declared,
            params=arguments,
            invocation=_invocation(asker, use),
            on_progress=use.report_progress,
        )
        result: ToolResult = {"success": outcome.success}
        for name in ("data", "error", "error_detail", "images"):
            value = getattr(outcome, name)
            if value not in (None, "", ()):
                result[name] = value
        if outcome.outcome_unknown:
            # A word of Root's own, which a backend cannot say: the kernel reports such a call as unknown, not undone.
            result["outcome_unknown"] = True
        return result

    return Tool(
        name=declared.name,
        description=declared.description,
        label=label_of(declared),
        parameters=declared.parameters,
        execute=execute,
        mutates=not declared.read_only,
        channels=declared.channels,
        timeout_seconds=_patience(declared),
        origin="integration",
        provider=integration.name,
    )


def label_of(declared: ManifestTool) -> str:
    """What people read while the tool runs."""
    return declared.status_label or declared.name.replace("_", " ").capitalize()


def _patience(declared: ManifestTool) -> float:
    return (declared.timeout_seconds or ENDPOINTS["tool_invoke"].timeout_seconds) + GRACE_SECONDS


def _invocation(asker: TurnPerson, use: ToolUse) -> Invocation:
    person = asker.person
    return Invocation(
        principal=InvocationPrincipal(
            ref=person.ref,
            tier=asker.tier,
            is_admin=asker.is_admin,
            display_name=person.display_name or None,
            slack_user_id=person.slack_user_id,
            email=person.email,
        ),
        channel=asker.channel,
        invocation_id=use.invocation_id,
        slack_channel_id=asker.slack_channel_id,
        current_user_message=asker.message,
        thread_ts=asker.thread_ts,
    )
