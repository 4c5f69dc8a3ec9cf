"""The turn most prompt tests are about, to vary from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from apps.agent.prompts.facts import AccountFact, MailFact, PageFact, PromptFacts, ToolFact

READ_TOOLS = ("search_knowledge_base", "search_slack_messages", "search_current_events", "who_knows")
EVERY_TOOL = (
    *READ_TOOLS,
    "get_knowledge_page_link",
    "find_channel_for_community_post",
    "start_community_conversation",
    "remember_user_preference",
    "list_user_preferences",
    "forget_user_preference",
    "set_dm_reply_style",
    "set_auto_reply_preference",
    "create_follow_up",
    "escalate_to_admin",
    "request_human_intervention",
    "list_my_human_interventions",
    "cancel_human_intervention",
    "search_members",
    "search_companies",
)


def tools(*names: str) -> tuple[ToolFact, ...]:
    return tuple(ToolFact(name=name, capability=f"Can do {name.replace('_', ' ')}") for name in names)


def facts(**changes: Any) -> PromptFacts:
    """A member in a direct message, with everything a community can have."""
    values: dict[str, Any] = {
        "channel": "slack",
        "tier": "member",
        "now": datetime(2026, 3, 2, 17, 5, tzinfo=UTC),
        "timezone": "America/Los_Angeles",
        "user_name": "Dana",
        "agent_name": "Pilot",
        "persona": "You are Pilot, the voice of Harbour Works.",
        "community_context": "Forty boat builders share a hall.",
        "tools": tools(*EVERY_TOOL),
        "manifest_sections": ("BOOKINGS:\n- Slots last an hour.",),
        "pages": (PageFact(path="/profile", title="Profile", summary="edit your profile"),),
        "public_guide_url": "https://guide.example/start",
        "link_state": "available",
        "bot_user_id": "U0PILOT",
        "is_dm": True,
        "preferences": ("Keep it short",),
        "memory": "Dana restores a cutter.",
    }
    return PromptFacts(**(values | changes))


def bare(**changes: Any) -> PromptFacts:
    """The least that can be known of a turn."""
    values: dict[str, Any] = {"channel": "api", "tier": "member", "now": datetime(2026, 3, 2, tzinfo=UTC)}
    return PromptFacts(**(values | changes))


def mail(**changes: Any) -> MailFact:
    values: dict[str, Any] = {
        "sender_name": "Ana Assistant",
        "sender_email": "ana@office.example",
        "delegation_reason": "copied on earlier mail",
        "participants": ("Lee <lee@x.example>",),
        "account": AccountFact(
            name="Maria Mentor", email="maria@m.example", role="mentor", profile="Builds masts."
        ),
    }
    return MailFact(**(values | changes))
