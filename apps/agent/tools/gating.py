"""Who may use which tool: pure rules, decided here only (contract §5.2, §7.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from apps.integrations.rootint.manifest import AccessTier, Manifest, ManifestTool
from apps.tenancy.tiers import ADMINISTRATORS, MEMBER, PUBLIC, PUBLIC_EMAIL, RESERVED, UNRESOLVED

ESCALATE: Final = "escalate_to_admin"
SEARCH_KNOWLEDGE: Final = "search_knowledge_base"
UNRESOLVED_TOOLS: Final = frozenset(
    {SEARCH_KNOWLEDGE, "search_slack_messages", "who_knows", "search_current_events", ESCALATE}
)


def declared_tiers(manifests: Iterable[Manifest]) -> list[AccessTier]:
    """What all backends say of tiers."""
    return [entry for manifest in manifests for entry in manifest.access_tiers]


def named_tiers(manifests: Iterable[Manifest]) -> frozenset[str]:
    """The tenant's own tiers, as far as a backend names them."""
    return frozenset(entry.name for entry in declared_tiers(manifests)) - RESERVED


def core_tools_for(tier: str, *, core: Collection[str], declared: Iterable[AccessTier]) -> frozenset[str]:
    """The names of the platform's own tools a tier may use, before channels are considered."""
    everything = frozenset(core)
    mine = [entry for entry in declared if entry.name == tier]
    if tier in {PUBLIC, PUBLIC_EMAIL}:
        return _public(mine) & everything
    allowlists = [entry.core_tools for entry in mine if entry.core_tools is not None]
    if allowlists:
        # Several backends may speak of one tier; what all of them allow is what is allowed.
        return frozenset.intersection(*allowlists) & everything
    if tier == UNRESOLVED:
        return UNRESOLVED_TOOLS & everything
    return everything


def _public(mine: list[AccessTier]) -> frozenset[str]:
    if public_knowledge_types(mine):
        return frozenset({ESCALATE, SEARCH_KNOWLEDGE})
    return frozenset({ESCALATE})


def public_knowledge_types(mine: Iterable[AccessTier]) -> frozenset[str]:
    """The source types a public declaration opens for search; empty unless it is whole."""
    opened: frozenset[str] = frozenset()
    for entry in mine:
        names_search = entry.core_tools is not None and SEARCH_KNOWLEDGE in entry.core_tools
        if entry.declared_as_object and names_search and entry.knowledge_source_types:
            opened |= entry.knowledge_source_types
    return opened


def knowledge_types_for(tier: str, *, declared: Iterable[AccessTier]) -> frozenset[str] | None:
    """The source types a tier may search; None is all of them."""
    mine = [entry for entry in declared if entry.name == tier]
    if tier in {PUBLIC, PUBLIC_EMAIL}:
        return public_knowledge_types(mine)
    scopes = [entry.knowledge_source_types for entry in mine if entry.knowledge_source_types is not None]
    return frozenset.intersection(*scopes) if scopes else None


def manifest_tool_allowed(
    tool: ManifestTool, *, channel: str, tier: str, is_admin: bool, named_tiers: Collection[str]
) -> bool:
    """May this person use a backend's tool on this channel?"""
    if tool.channels is not None and channel not in tool.channels:
        return False
    if tool.admin_only and not is_admin:
        return False
    if tool.tiers is None:
        return tier not in RESERVED and (tier == MEMBER or tier in named_tiers or is_admin)
    if is_admin and ADMINISTRATORS in tool.tiers:
        return True
    return bool(tool.tiers & _names_of(tier))


def spoken_to(
    entry_channels: frozenset[str] | None,
    entry_tiers: frozenset[str] | None,
    *,
    channel: str,
    tier: str,
    is_admin: bool,
) -> bool:
    """Is a prompt section of a manifest meant for this channel and person?"""
    if entry_channels is not None and channel not in entry_channels:
        return False
    if entry_tiers is None:
        return True
    return bool(entry_tiers & _names_of(tier)) or (is_admin and ADMINISTRATORS in entry_tiers)


def _names_of(tier: str) -> frozenset[str]:
    if tier == ADMINISTRATORS:
        # Administrators are told by their flag; a backend cannot make one by naming a tier so.
        return frozenset()
    # Somebody who writes from an unknown address is the public, under either name.
    return frozenset({PUBLIC, PUBLIC_EMAIL}) if tier in {PUBLIC, PUBLIC_EMAIL} else frozenset({tier})
