"""What one person on one channel can use: core tools, then the backends' (contract §5.2, §7.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.agent.tools import gating
from apps.agent.tools.core import CORE_TOOLS
from apps.agent.tools.declaration import Channel, Tool
from apps.agent.tools.external import backend_tool
from apps.agent.tools.person import TurnPerson
from apps.integrations.identity import ResolvedPerson
from apps.integrations.rootint.manifest import AccessTier, LinkDestination, PromptSection
from apps.integrations.rootint.registry import ActiveIntegration
from apps.knowledge.audience import Audience
from apps.tenancy.tiers import manifest_tier_for

# The builders that treat nobody as an administrator: callers there are programs, or a page without sign-in.
CHANNELS_WITHOUT_ADMINS = frozenset({"api", "web"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Everything the model is offered for this person here."""

    asker: TurnPerson
    tools: tuple[Tool, ...]
    prompt_sections: tuple[PromptSection, ...]
    link_destinations: tuple[LinkDestination, ...]
    public_guide_url: str | None


def surface_for(
    person: ResolvedPerson,
    *,
    channel: Channel,
    message: str,
    integrations: Sequence[ActiveIntegration],
    slack_channel_id: str | None = None,
    thread_ts: str | None = None,
) -> Surface:
    """Builds the surface: core first, then integrations in their order; a name taken stays taken."""
    tier = manifest_tier_for(person.access_level)
    is_admin = person.is_admin and channel not in CHANNELS_WITHOUT_ADMINS
    declared = gating.declared_tiers(i.manifest for i in integrations)
    asker = TurnPerson(
        person=person,
        tier=tier,
        is_admin=is_admin,
        channel=channel,
        audience=Audience(
            tier=tier, source_types=gating.knowledge_types_for(tier, declared=declared), is_admin=is_admin
        ),
        message=message,
        slack_channel_id=slack_channel_id,
        thread_ts=thread_ts,
    )
    return Surface(
        asker=asker,
        tools=_unique([*_core(asker, declared), *_external(asker, integrations)]),
        prompt_sections=_sections(asker, integrations),
        link_destinations=_destinations(asker, integrations),
        public_guide_url=next(
            (i.manifest.public_guide_url for i in integrations if i.manifest.public_guide_url), None
        ),
    )


def _core(asker: TurnPerson, declared: Iterable[AccessTier]) -> list[Tool]:
    allowed = gating.core_tools_for(asker.tier, core=CORE_TOOLS.keys(), declared=declared)
    tools = [make(asker) for name, make in CORE_TOOLS.items() if name in allowed]
    made = [tool for tool in tools if tool is not None and tool.available]
    return [tool for tool in made if tool.channels is None or asker.channel in tool.channels]


def _external(asker: TurnPerson, integrations: Sequence[ActiveIntegration]) -> list[Tool]:
    named = gating.named_tiers(i.manifest for i in integrations)
    return [
        backend_tool(integration, declared, asker=asker)
        for integration in integrations
        for declared in integration.manifest.tools
        if gating.manifest_tool_allowed(
            declared, channel=asker.channel, tier=asker.tier, is_admin=asker.is_admin, named_tiers=named
        )
    ]


def _sections(asker: TurnPerson, integrations: Sequence[ActiveIntegration]) -> tuple[PromptSection, ...]:
    return tuple(
        section
        for integration in integrations
        for section in integration.manifest.prompt_sections
        if gating.spoken_to(
            section.channels, section.tiers, channel=asker.channel, tier=asker.tier, is_admin=asker.is_admin
        )
    )


def _destinations(
    asker: TurnPerson, integrations: Sequence[ActiveIntegration]
) -> tuple[LinkDestination, ...]:
    """The backends' pages for this person here; of two with one path the first is shown."""
    shown: dict[str, LinkDestination] = {}
    for integration in integrations:
        for page in integration.manifest.link_destination_details:
            if gating.spoken_to(
                page.channels, page.tiers, channel=asker.channel, tier=asker.tier, is_admin=asker.is_admin
            ):
                shown.setdefault(page.path or page.destination, page)
    return tuple(shown.values())


def _unique(tools: list[Tool]) -> tuple[Tool, ...]:
    kept: dict[str, Tool] = {}
    for tool in tools:
        kept.setdefault(tool.name, tool)
    return tuple(kept.values())
