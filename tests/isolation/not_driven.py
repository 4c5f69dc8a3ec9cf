"""What works with communities' data and is not driven for two of them at once, each with the reason.

An entry is a function, or a module with all that is in it. Whatever is neither here nor driven fails a test.
"""

from __future__ import annotations

from typing import Final

_OPERATORS: Final = "operators see all communities; who is one is tested with the dashboard"
_MACHINERY: Final = (
    "moves rows of all communities; a run enters the community of its row, which the drive sees"
)
_TERMINAL: Final = "parses a command and calls a service that is driven"
_PLATFORM: Final = "about the platform itself, no community's data"
_FACE: Final = (
    "parses a request and calls a service that is driven; foreign keys and ids are tested over HTTP"
)
_SWEEP: Final = "sweeps old rows of all communities, by age alone"
_PURE: Final = "reads nothing and keeps nothing"

MODULES: Final = {
    "apps.api": _FACE,
    "apps.dashboard": _OPERATORS,
    "apps.tenancy.jobs": _MACHINERY,
    "apps.tenancy.platform_admins": _PLATFORM,
    "apps.tenancy.platform_settings": _PLATFORM,
    "root_platform": _PLATFORM,
}
PACKAGES_OF_COMMANDS: Final = ".management.commands."
FUNCTIONS: Final = {
    "apps.agent.interventions.notifying:gave_up": "only after three failures; see test_foreign_ids",
    "apps.agent.interventions.queue_alerts:hear": "speaks for the root tenant alone",
    "apps.agent.playbook.putting_in:Plan.sentence": _PURE,
    "apps.agent.playbook.taking_out:platform_playbook": "an operator's copy of all communities' additions",
    "apps.agent.record.retention:sweep": _SWEEP,
    "apps.channels.web.admission:admit": "compares a request with one channel; see test_foreign_ids",
    "apps.channels.web.admission:set_cookie": "writes one channel's fingerprint; see test_foreign_ids",
    "apps.integrations.llm.embeddings:vector_to_sql": _PURE,
    "apps.integrations.rootint.client:ignore_progress": _PURE,
    "apps.knowledge.jobs:ask_for_due_syncs": "a tick, which asks for each community's syncs in its context",
    "apps.knowledge.link_retention:sweep": _SWEEP,
    "apps.knowledge.retrieval.starving:MayStarve.second": _PURE,
    "apps.knowledge.sync.perform:gave_up": "only after the last failure; see test_foreign_ids",
    "apps.knowledge.sync.run_retention:sweep": _SWEEP,
    "apps.knowledge.trash:sweep": _SWEEP,
    "apps.tenancy.idempotency:sweep": _SWEEP,
    "apps.tenancy.context:no_tenant": "the context of ticks; see test_threads",
    "apps.tenancy.dashboard_users:remove": "a shadow has its live community's people, so one of the pair removes",
    "apps.tenancy.scoping:TenantQuerySet.raw": "refuses; see tests/tenancy/test_scoping",
    "apps.tenancy.scoping:TenantQuerySet.union": "used by nobody yet; see tests/tenancy/test_scoping",
    "apps.tenancy.tenants:active_tenants": "what ticks go through, before they enter anybody's context",
    "apps.tenancy.tenants:checked_timezone": _PURE,
    "apps.tenancy.tenants:create_tenant": "makes the community",
    "apps.tenancy.tenants:only_tenant": "for commands on machines with one community",
    "apps.tenancy.tenants:set_status": "changes a row in hand; its effects are tested with the tenants",
    "apps.tenancy.tenants:shadow_of": "makes the community",
}


def reason_for(name: str) -> str | None:
    """Why this ``module:function`` need not be driven, if there is a reason."""
    module = name.partition(":")[0]
    if PACKAGES_OF_COMMANDS in module:
        return _TERMINAL
    known = (reason for start, reason in MODULES.items() if f"{module}.".startswith(f"{start}."))
    return FUNCTIONS.get(name) or next(known, None)
