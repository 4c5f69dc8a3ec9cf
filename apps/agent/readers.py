"""What somebody the community knows may read outside a conversation (contract §5.1, §10.5)."""

from __future__ import annotations

from apps.agent.tools import gating
from apps.integrations import identity
from apps.integrations.rootint.registry import active_integrations
from apps.knowledge.audience import Audience
from apps.tenancy.models import Principal
from apps.tenancy.tiers import is_reserved, manifest_tier_for


def audience_of(principal: Principal) -> Audience | None:
    """As things stand now: the tier that still holds, and the source types the backends open to it.

    None for people whom nobody vouches for any more.
    """
    person = identity.resolve(channel="api", ref=principal.ref)
    tier = manifest_tier_for(person.access_level)
    if person.principal is None or is_reserved(tier):
        return None
    declared = [entry for each in active_integrations() for entry in each.manifest.access_tiers]
    types = gating.knowledge_types_for(tier, declared=declared)
    return Audience(tier=tier, source_types=types, is_admin=person.is_admin)
