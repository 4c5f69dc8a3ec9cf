"""The messages a turn opens with: the prompt, what was said before, and the new message (contract §4.5, §8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.agent.fencing import Fence
from apps.agent.preference_lines import preference_lines
from apps.agent.preferences import active_preferences
from apps.agent.prompts import store
from apps.agent.prompts.assemble import assemble
from apps.agent.prompts.facts import LinkState, PageFact, PromptFacts, ToolFact
from apps.agent.prompts.layers import Layer, join_layers
from apps.agent.tools.declaration import Tool
from apps.agent.tools.page_links import NAME as PAGE_LINK
from apps.agent.tools.surface import Surface
from apps.foundation import clock
from apps.foundation.text import neutralize
from apps.tenancy.models import Tenant
from apps.tenancy.tiers import is_reserved

CAPABILITY_LIMIT = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a turn opens with, and the layers of which its system messages consist."""

    messages: list[dict[str, Any]] = field(repr=False)
    layers: tuple[Layer, ...] = field(repr=False)


def opening_messages(
    surface: Surface, *, tenant: Tenant, message: str, history: Sequence[dict[str, Any]], fence: Fence
) -> Opening:
    """System prompt, history, message: in the shape a chat model reads, with nothing in it posing as structure."""
    layers = assemble(prompt_facts(surface, tenant=tenant, history=history), wording=store.wording())
    system = [{"role": "system", "content": join_layers(layers)}]
    if surface.tools:
        # Apart from the prompt: the code of the marks changes with every turn, and a prompt can be cached.
        layers = [*layers, Layer(name="tool_fence", origin="default", text=fence.rule)]
        system.append({"role": "system", "content": fence.rule})
    said = [entry | {"content": neutralize(str(entry["content"]))} for entry in history]
    messages = [*system, *said, {"role": "user", "content": neutralize(message)}]
    return Opening(messages=messages, layers=tuple(layers))


def prompt_facts(
    surface: Surface,
    *,
    tenant: Tenant,
    history: Sequence[dict[str, Any]] = (),
    issues_links: bool = False,
) -> PromptFacts:
    """What the prompt of this turn depends on. ``issues_links``: does delivery put fresh tokens into page links?"""
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
        pages=tuple(
            PageFact(path=page.path, title=page.title, summary=page.prompt_summary)
            for page in surface.link_destinations
        ),
        link_state=link_state(surface, issues_links=issues_links),
        public_guide_url=surface.public_guide_url or "",
        is_dm=asker.in_private_dm,
        preferences=preference_lines(
            active_preferences(asker.person), channel=asker.channel, message=asker.message, history=history
        ),
    )


def link_state(surface: Surface, *, issues_links: bool) -> LinkState:
    """What can be said about personal pages here: nothing they could open is promised to anybody.

    Without pages of a backend it is said of the knowledge base's own, whose links the tool issues itself.
    """
    asker = surface.asker
    if not surface.link_destinations:
        if PAGE_LINK not in {tool.name for tool in surface.tools}:
            return "none"
        issues_links = True
    if asker.channel == "slack" and not asker.in_private_dm:
        return "not_private"
    if is_reserved(asker.tier):
        return "unresolved"
    return "available" if issues_links else "failed"


def _capability(tool: Tool) -> str:
    first_sentence = tool.description.split(". ")[0].strip().rstrip(".")
    return first_sentence[:CAPABILITY_LIMIT]
