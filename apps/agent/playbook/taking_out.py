"""The words in force as a playbook: of the whole platform, or one community's additions (contract §4.5)."""

from __future__ import annotations

from apps.agent.playbook.book import Playbook, Texts
from apps.agent.prompts.platform import PHASES, stored_platform_wording
from apps.agent.prompts.registry import prompts
from apps.agent.prompts.store import stored_additions
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant


def platform_playbook() -> Playbook:
    """Everything: all texts in force, and the additions of every community that has some."""
    wording = stored_platform_wording()
    added = {tenant.slug: additions_of(tenant) for tenant in Tenant.objects.order_by("slug")}
    return Playbook(
        defaults={key: wording.default(key) for key in prompts()},
        lines=dict(wording.lines),
        phases={name: getattr(wording.phases, name) for name in PHASES},
        additions={slug: texts for slug, texts in added.items() if texts},
    )


def community_playbook(tenant: Tenant) -> Playbook:
    """One community's additions and nothing else."""
    return Playbook(additions={tenant.slug: additions_of(tenant)})


def additions_of(tenant: Tenant) -> Texts:
    """What a community adds now, in the order of the keys."""
    with tenant_context(tenant):
        added = stored_additions()
    return {key: added[key] for key in prompts() if key in added}
