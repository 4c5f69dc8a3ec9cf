"""What the agent is told about the limits of the person in front of it (contract §A.3)."""

from __future__ import annotations

from apps.agent.prompts.facts import PromptFacts
from apps.agent.prompts.layers import Layer
from apps.agent.prompts.parts import Parts
from apps.tenancy.tiers import MEMBER, PUBLIC, PUBLIC_EMAIL, UNRESOLVED


def tier_guidance(parts: Parts) -> list[Layer]:
    """One template at most: public, unresolved, limited, or nothing for the usual tier and for admins."""
    key = tier_template(parts.facts)
    return parts.text(key) if key else []


def tier_template(facts: PromptFacts) -> str | None:
    """The key of the template for this tier. A missing tier counts as unresolved."""
    tier = facts.tier.strip() or UNRESOLVED
    if tier in {PUBLIC, PUBLIC_EMAIL}:
        return "shared.public_tier_guidance"
    if tier == UNRESOLVED:
        return "slack.unresolved_guidance" if facts.channel == "slack" else "chat.unresolved_guidance"
    if facts.is_admin or tier in {MEMBER, facts.default_tier}:
        return None
    return "shared.limited_tier_guidance"
