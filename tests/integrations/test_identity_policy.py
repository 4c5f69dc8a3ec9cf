"""Each change of the policy, and each channel, against people whom it made what they are."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.identity import resolve
from apps.tenancy import dashboard_users, principals
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Reply
from tests.integrations.identity_steps import ROUTE, by_mail, knows, on_slack, set_access

ANA = "ana@a.example"
CLOSED = {"slack": "integration", "email": "integration"}


@pytest.fixture
def ana(in_tenant: Tenant) -> str:
    """Somebody who may sign in to the dashboard of a community that trusts no channel."""
    set_access(in_tenant, **CLOSED)
    dashboard_users.invite(ANA, role="viewer", by="owner")
    return ANA


@pytest.mark.parametrize(
    ("before", "after", "tier", "source"),
    [
        ({}, {"slack": "integration"}, "unresolved", None),
        ({}, {"default_tier": "guest"}, "guest", "channel_trust"),
        ({}, {"default_tier": "public"}, "unresolved", None),
        ({"slack": "integration"}, {}, "member", "channel_trust"),
        ({}, {"dashboard_users": False}, "member", "channel_trust"),
        ({"default_tier": "guest"}, {"default_tier": " guest "}, "guest", "channel_trust"),
    ],
)
def test_on_slack_a_change_counts_from_the_next_message(
    in_tenant: Tenant, before: dict[str, Any], after: dict[str, Any], tier: str, source: str | None
) -> None:
    set_access(in_tenant, **before)
    on_slack()
    set_access(in_tenant, **after)
    for person in (on_slack(), resolve(channel="api", ref="slack:U1")):
        assert (person.tier, person.traits.get("tier_source")) == (tier, source)


@pytest.mark.parametrize(
    ("before", "after", "tier"),
    [
        ({"email_domains": ["a.example"]}, {"email_domains": []}, "public_email"),
        ({"email_domains": ["a.example"]}, {"email_addresses": [ANA]}, "member"),
        ({"email_addresses": [ANA]}, {"email_addresses": ["ben@a.example"]}, "public_email"),
        ({"email_domains": ["a.example"]}, {"email": "integration"}, "public_email"),
        ({"email_domains": ["a.example"]}, {"email_domains": ["a.example"], "default_tier": "x"}, "x"),
        ({}, {"email_domains": ["a.example"]}, "member"),
    ],
)
def test_by_mail_too(in_tenant: Tenant, before: dict[str, Any], after: dict[str, Any], tier: str) -> None:
    set_access(in_tenant, **before)
    by_mail()
    set_access(in_tenant, **after)
    assert by_mail().tier == tier


@pytest.mark.parametrize(
    ("how", "tier"),
    [
        ({"channel": "email", "email": ANA}, "member"),
        ({"channel": "api", "email": ANA}, "member"),
        ({"channel": "slack", "slack_user_id": "U1", "email": ANA}, "member"),
        # From another company's workspace, without an address, or merely typed into the test page: no.
        ({"channel": "slack", "slack_user_id": "U1", "email": ANA, "in_workspace": False}, "unresolved"),
        ({"channel": "slack", "slack_user_id": "U1"}, "unresolved"),
        ({"channel": "web", "email": ANA}, "public_email"),
        ({"channel": "web", "email": ANA, "dashboard_user": True}, "member"),
        ({"channel": "email", "email": "ben@a.example"}, "public_email"),
    ],
)
def test_where_a_user_of_the_dashboard_is_known_by_the_address(
    ana: str, how: dict[str, Any], tier: str
) -> None:
    person = resolve(**how)
    assert person.tier == tier
    assert person.traits.get("tier_source") == ("dashboard_user" if tier == "member" else None)
    assert not person.is_admin


@pytest.mark.parametrize(
    "how",
    [{"channel": "email", "email": ANA}, {"channel": "slack", "slack_user_id": "U1", "email": ANA}],
)
@pytest.mark.parametrize("end", ["removed", "switched_off"])
def test_that_trust_ends_with_the_list_or_the_policy(
    in_tenant: Tenant, ana: str, how: dict[str, Any], end: str
) -> None:
    ref = resolve(**how).ref
    assert resolve(channel="api", ref=ref).tier == "member"
    if end == "removed":
        dashboard_users.invite("owner@a.example", role="owner", by="owner")
        dashboard_users.remove(ana, by="owner")
    else:
        set_access(in_tenant, **CLOSED, dashboard_users=False)
    assert resolve(channel="api", ref=ref).tier == "unresolved"
    assert resolve(**how).tier in {"unresolved", "public_email"}


def test_an_address_typed_into_the_test_page_takes_nothing_away(ana: str) -> None:
    by_mail()
    assert resolve(channel="web", email=ANA).tier == "public_email"
    stored = principals.by_email(ANA)
    assert stored is not None
    assert stored.tier == "member"


def test_a_backend_wins_over_the_list_and_cannot_claim_its_grounds(
    people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    set_access(in_tenant, **CLOSED)
    dashboard_users.invite(ANA, role="owner", by="owner")
    people_backend.answer(
        ROUTE, knows("mentor", traits={"tier_source": "x", "tier_address": ANA, "team": "t"})
    )
    person = by_mail()
    assert (person.tier, person.traits["team"]) == ("mentor", "t")
    assert not {"tier_source", "tier_address"} & person.traits.keys()


@pytest.mark.parametrize("tier", ["__admin__", "Unresolved", "ｐｕｂｌｉｃ", "PUBLIC_EMAIL"])
def test_a_look_alike_of_a_reserved_tier_vouches_for_nothing(
    people_backend: FakeBackend, in_tenant: Tenant, tier: str
) -> None:
    set_access(in_tenant, **CLOSED)
    people_backend.answer(ROUTE, knows(tier, is_admin=True))
    person = on_slack()
    assert (person.tier, person.is_admin) == ("unresolved", False)


def test_the_shadow_knows_the_same_users(ana: str, in_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context
    from apps.tenancy.tenants import find_tenant, shadow_of

    shadow_of(find_tenant(in_tenant.slug))
    with tenant_context(find_tenant(in_tenant.slug + "--dev")):
        assert by_mail().tier == "member"
        assert by_mail("ben@a.example").tier == "public_email"


def test_the_list_costs_one_question_and_none_where_the_channel_vouches(
    people_backend: FakeBackend, in_tenant: Tenant, django_assert_max_num_queries: Any
) -> None:
    people_backend.answer(ROUTE, Reply({"principal": None}))
    on_slack(email=ANA)
    with django_assert_max_num_queries(1):
        on_slack(email=ANA)
    set_access(in_tenant, **CLOSED)
    on_slack(email=ANA)
    with django_assert_max_num_queries(2):
        on_slack(email=ANA)
