"""``escalate_to_admin``: a matter handed to the people who run the community (contract §5.1, §15.2)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from apps.agent.interventions.opening import open_intervention
from apps.agent.models import InterventionCategory
from apps.agent.tools.declaration import Tool, ToolResult, ToolUse, failed
from apps.agent.tools.person import TurnPerson
from apps.foundation.text import clean, is_blank
from apps.foundation.trace import current_trace_id
from apps.tenancy.context import current_tenant_id

FIELD_LIMIT = 2_000
NOTHING_SAID = "Nothing was passed on: say why the team is needed and what the person asked for."

_PARAMETERS = {
    "type": "object",
    "properties": {
        "escalation_reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": FIELD_LIMIT,
            "description": "Why somebody from the team has to take over.",
        },
        "user_request_summary": {
            "type": "string",
            "minLength": 1,
            "maxLength": FIELD_LIMIT,
            "description": "What the person asked for, complete enough to act on; their words where they matter.",
        },
        "what_was_checked": {
            "type": "string",
            "maxLength": FIELD_LIMIT,
            "description": "What was looked up already and what came of it.",
        },
    },
    "required": ["escalation_reason", "user_request_summary"],
    "additionalProperties": False,
}


def escalate_to_admin(asker: TurnPerson) -> Tool:
    """The tool, on behalf of whoever asks; strangers may use it as well."""

    def execute(arguments: dict[str, Any], use: ToolUse) -> ToolResult:
        said = {name: clean(str(text)).strip() for name, text in arguments.items()}
        if is_blank(said["escalation_reason"]) or is_blank(said["user_request_summary"]):
            return failed(NOTHING_SAID)
        row = open_intervention(
            InterventionCategory.ESCALATION,
            channel=asker.channel,
            title=said["user_request_summary"],
            details=_details(said),
            principal=asker.person.principal,
            metadata={**said, **_origin(asker), "invocation_id": str(use.invocation_id)},
            key=_matter(said, use),
        )
        return {"success": True, "data": {"intervention_id": str(row.pk), "status": row.status}}

    return Tool(
        name="escalate_to_admin",
        description=(
            "Passes a question, request, problem, note or thanks to the community's team, who take it from there. "
            "Use it when the person asks for a human, or when nothing else on offer can help them."
        ),
        label="Passing it to the team",
        parameters=_PARAMETERS,
        execute=execute,
        mutates=True,
    )


def _matter(said: dict[str, str], use: ToolUse) -> UUID:
    """The same words again within one turn are the same matter, however often a model passes it on."""
    turn = current_trace_id() or use.invocation_id.hex
    words = [
        " ".join(said[name].casefold().split()) for name in ("escalation_reason", "user_request_summary")
    ]
    return uuid5(current_tenant_id(), "\n".join([turn, *words]))


def _details(said: dict[str, str]) -> str:
    parts = [
        ("Asked", said["user_request_summary"]),
        ("Why it needs a person", said["escalation_reason"]),
        ("Checked already", said.get("what_was_checked", "")),
    ]
    return "\n\n".join(f"{heading}: {text}" for heading, text in parts if text)


def _origin(asker: TurnPerson) -> dict[str, Any]:
    """Who and where, as the sinks will pass it on."""
    person = asker.person
    known = {
        "trace_id": current_trace_id(),
        "principal_ref": person.ref,
        "user_name": person.display_name,
        "email": person.email,
        "slack_user_id": person.slack_user_id,
        "slack_channel_id": asker.slack_channel_id,
        "thread_ts": asker.thread_ts,
        "tier": asker.tier,
    }
    return {name: value for name, value in known.items() if value}
