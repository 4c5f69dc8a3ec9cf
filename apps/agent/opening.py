"""The messages a turn opens with: the prompt, what was said before, and the new message (contract §4.5, §8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.agent.prompts import store
from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.facts import PromptFacts, ToolFact
from apps.agent.tools.declaration import Tool
from apps.agent.tools.surface import Surface
from apps.foundation import clock
from apps.foundation.text import neutralize
from apps.tenancy.models import Tenant

CAPABILITY_LIMIT = 160


def opening_messages(
    surface: Surface, *, tenant: Tenant, message: str, history: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """System prompt, history, message: in the shape a chat model reads, with nothing in it posing as structure."""
    prompt = render_prompt(prompt_facts(surface, tenant=tenant), wording=store.wording())
    said = [entry | {"content": neutralize(str(entry["content"]))} for entry in history]
    return [
        {"role": "system", "content": prompt},
        *said,
        {"role": "user", "content": neutralize(message)},
    ]


def prompt_facts(surface: Surface, *, tenant: Tenant) -> PromptFacts:
    """What the prompt of this turn depends on."""
    asker, config = surface.asker, tenant.config
    return PromptFacts(
        channel=asker.channel,
        tier=asker.tier,
        is_admin=asker.is_admin,
        default_tier=config.access.default_tier,
        now=clock.now(),
        timezone=tenant.timezone,
        user_name=asker.person.display_name,
        agent_name=tenant.agent_name,
        persona=config.persona.identity,
        character=config.agent_character,
        community_context=config.persona.community_context,
        tools=tuple(ToolFact(name=tool.name, capability=_capability(tool)) for tool in surface.tools),
        manifest_sections=tuple(section.content for section in surface.prompt_sections),
        public_guide_url=surface.public_guide_url or "",
        is_dm=asker.in_private_dm,
    )


def _capability(tool: Tool) -> str:
    first_sentence = tool.description.split(". ")[0].strip().rstrip(".")
    return first_sentence[:CAPABILITY_LIMIT]
