"""Whom a channel vouches for when no backend does: a pure table (contract §9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from apps.tenancy.emails import ascii_domain, domain_of, normalized_email
from apps.tenancy.settings_schema import AccessPolicy
from apps.tenancy.tiers import MEMBER, is_reserved

TrustSource = Literal["channel_trust", "dashboard_user"]
CHANNEL_TRUST: Final = "channel_trust"
DASHBOARD_USER: Final = "dashboard_user"


@dataclass(frozen=True, slots=True)
class Trust:
    """A tier given by policy, and on what grounds; it can be taken back."""

    tier: str
    source: TrustSource


def slack_trust(policy: AccessPolicy, *, in_workspace: bool, dashboard_user: bool = False) -> Trust | None:
    """What Slack vouches for. Only a backend can speak for authors from another company's workspace."""
    if not in_workspace:
        return None
    if policy.slack == "open" and not is_reserved(policy.default_tier):
        return Trust(tier=policy.default_tier, source=CHANNEL_TRUST)
    return _dashboard_trust(policy, dashboard_user)


def email_trust(policy: AccessPolicy, *, address: str, dashboard_user: bool = False) -> Trust | None:
    """What a mail address vouches for: a listed address, or a listed domain with all below it."""
    if policy.email == "domains" and _is_listed(policy, address) and not is_reserved(policy.default_tier):
        return Trust(tier=policy.default_tier, source=CHANNEL_TRUST)
    return _dashboard_trust(policy, dashboard_user)


def _dashboard_trust(policy: AccessPolicy, dashboard_user: bool) -> Trust | None:
    return Trust(tier=MEMBER, source=DASHBOARD_USER) if dashboard_user and policy.dashboard_users else None


def _is_listed(policy: AccessPolicy, address: str) -> bool:
    wanted = normalized_email(address)
    if wanted is None:
        return False
    if wanted in {normalized_email(listed) for listed in policy.email_addresses}:
        return True
    domain = domain_of(wanted)
    return any(_covers(ascii_domain(listed.strip().lstrip("@.")), domain) for listed in policy.email_domains)


def _covers(listed: str, domain: str) -> bool:
    # A lone label such as "com" would trust half the world; it only ever means itself.
    return domain == listed or ("." in listed and domain.endswith("." + listed))
