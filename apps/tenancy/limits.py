"""How much a tenant may have: its own limits over the platform's (contract §15.3)."""

from __future__ import annotations

from dataclasses import dataclass

from apps.foundation.environment import env
from apps.tenancy.context import current_tenant

SHORTEST_SYNC_INTERVAL_MINUTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveLimits:
    """What counts for the current tenant now."""

    max_knowledge_sources: int
    min_sync_interval_minutes: int
    sync_cap: int
    slack_ingest_per_minute: int


def limits() -> EffectiveLimits:
    """The current tenant's limits. No setting makes syncs closer together than five minutes."""
    own, platform = current_tenant().config.limits, env()
    interval = _either(own.min_sync_interval_minutes, platform.root_min_knowledge_sync_interval_minutes)
    return EffectiveLimits(
        max_knowledge_sources=_either(
            own.max_knowledge_sources, platform.root_max_knowledge_sources_per_tenant
        ),
        min_sync_interval_minutes=max(interval, SHORTEST_SYNC_INTERVAL_MINUTES),
        sync_cap=_either(own.sync_cap, platform.root_knowledge_sync_per_tenant_cap),
        slack_ingest_per_minute=_either(
            own.slack_ingest_per_minute, platform.root_slack_ingest_per_tenant_per_minute
        ),
    )


def _either(own: int | None, platform: int) -> int:
    return platform if own is None else own
