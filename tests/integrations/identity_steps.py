"""Steps the tests of identity share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from apps.foundation import clock
from apps.integrations.identity import resolve
from apps.integrations.person import ResolvedPerson
from apps.tenancy.models import Principal, Tenant
from tests.fakes.backend import FakeBackend, Reply

ROUTE = "POST /integration/identity/resolve"
DOWN = Reply(status=503)
NOBODY = Reply({"principal": None})


def knows(tier: str = "mentor", **changes: Any) -> Reply:
    """A backend's answer about Ana."""
    person = {
        "principal_ref": "m-1",
        "display_name": "Ana",
        "tier": tier,
        "email": "ana@a.example",
        **changes,
    }
    return Reply({"principal": person})


def on_slack(**changes: Any) -> ResolvedPerson:
    return resolve(**{"channel": "slack", "slack_user_id": "U1", "display_name": "ana.slack", **changes})


def by_mail(address: str = "ana@a.example", **changes: Any) -> ResolvedPerson:
    return resolve(**{"channel": "email", "email": address, **changes})


def set_access(tenant: Tenant, **access: Any) -> None:
    """Changes the policy of the tenant in context."""
    tenant.settings = {"access": access}
    tenant.save()
    tenant.__dict__.pop("config", None)


def age_tiers(seconds: float) -> None:
    """Makes every stored tier older than it is."""
    Principal.objects.update(tier_resolved_at=clock.now() - timedelta(seconds=seconds))


def questions(backend: FakeBackend) -> int:
    return len(backend.calls(ROUTE))
