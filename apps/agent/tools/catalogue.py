"""Every tool there is for a community, with who may use it: for programs that choose one (contract §12.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from apps.agent.tools import gating
from apps.agent.tools.core import CORE_TOOLS
from apps.agent.tools.declaration import Origin, Tool
from apps.agent.tools.external import label_of
from apps.agent.tools.person import TurnPerson
from apps.integrations.person import ResolvedPerson
from apps.integrations.rootint.manifest import ManifestTool
from apps.integrations.rootint.registry import ActiveIntegration, active_integrations
from apps.knowledge.audience import Audience
from apps.tenancy.models import Principal
from apps.tenancy.tiers import ADMINISTRATORS, MEMBER, RESERVED

CHANNELS: Final = ("slack", "email", "api", "web")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One tool and its gates.

    ``tiers`` None: members and every tier of the community that is not among ``withheld_from``. ``reserved_tiers``
    are those of the platform's own tiers that get it. ``available`` is false where this installation lacks what it
    works with, or a tool of that name stands before it.
    """

    name: str
    description: str
    label: str
    parameters: dict[str, Any] = field(repr=False)
    origin: Origin
    provider: str
    channels: tuple[str, ...]
    tiers: tuple[str, ...] | None
    withheld_from: tuple[str, ...]
    reserved_tiers: tuple[str, ...]
    admin_only: bool
    read_only: bool
    available: bool

    @property
    def open_to_programs(self) -> bool:
        """Can anybody use it through a program? Nobody is an administrator there."""
        for_admins = self.admin_only or (self.tiers is not None and set(self.tiers) <= {ADMINISTRATORS})
        return self.available and not for_admins and "api" in self.channels


def catalogue() -> tuple[CatalogueEntry, ...]:
    """All of them: the core in its order, then the backends' in theirs."""
    integrations = active_integrations()
    return (*_core(integrations), *_external(integrations))


def _core(integrations: Sequence[ActiveIntegration]) -> Iterator[CatalogueEntry]:
    declared = gating.declared_tiers(i.manifest for i in integrations)
    names = {MEMBER} | gating.named_tiers(i.manifest for i in integrations)
    for tool in _core_tools():
        allowed = {
            tier: tool.name in gating.core_tools_for(tier, core=CORE_TOOLS.keys(), declared=declared)
            for tier in names | RESERVED
        }
        yield CatalogueEntry(
            name=tool.name,
            description=tool.description,
            label=tool.label,
            parameters=tool.parameters,
            origin="core",
            provider="",
            channels=_channels(tool.channels),
            tiers=None,
            withheld_from=tuple(sorted(tier for tier in names if not allowed[tier])),
            reserved_tiers=tuple(sorted(tier for tier in RESERVED if allowed[tier])),
            admin_only=False,
            read_only=not tool.mutates,
            available=tool.available,
        )


def _external(integrations: Sequence[ActiveIntegration]) -> Iterator[CatalogueEntry]:
    named = gating.named_tiers(i.manifest for i in integrations)
    taken = {tool.name for tool in _core_tools() if tool.available}
    for integration in integrations:
        for tool in integration.manifest.tools:
            yield CatalogueEntry(
                name=tool.name,
                description=tool.description,
                label=label_of(tool),
                parameters=tool.parameters,
                origin="integration",
                provider=integration.name,
                channels=_channels(tool.channels),
                tiers=None if tool.tiers is None else tuple(sorted(tool.tiers)),
                withheld_from=(),
                reserved_tiers=tuple(tier for tier in sorted(RESERVED) if _allowed(tool, tier, named)),
                admin_only=tool.admin_only,
                read_only=tool.read_only,
                available=tool.name not in taken,
            )
            taken.add(tool.name)


def _allowed(tool: ManifestTool, tier: str, named: frozenset[str]) -> bool:
    return any(
        gating.manifest_tool_allowed(tool, channel=channel, tier=tier, is_admin=False, named_tiers=named)
        for channel in CHANNELS
    )


def _channels(channels: frozenset[str] | None) -> tuple[str, ...]:
    return tuple(channel for channel in CHANNELS if channels is None or channel in channels)


def _core_tools() -> Iterator[Tool]:
    """As somebody sees them who lacks nothing; they are looked at and never run."""
    somebody = ResolvedPerson(
        principal=Principal(),
        ref="",
        display_name="",
        tier=MEMBER,
        access_level=MEMBER,
        email="",
        slack_user_id="U",
    )
    looking = TurnPerson(
        person=somebody,
        tier=MEMBER,
        is_admin=False,
        channel="slack",
        audience=Audience(tier=None, source_types=frozenset()),
        message="",
        slack_channel_id="D",
    )
    for make in CORE_TOOLS.values():
        tool = make(looking)
        if tool is not None:
            yield tool
