"""People on Slack: the backend first, the policy after it, and how long either is believed."""

from __future__ import annotations

import pytest

from apps.tenancy import principals
from apps.tenancy.models import Principal, Tenant
from tests.fakes.backend import FakeBackend, Reply
from tests.integrations.identity_steps import (
    DOWN,
    NOBODY,
    ROUTE,
    age_tiers,
    knows,
    on_slack,
    questions,
    set_access,
)


def test_a_backends_tier_wins_over_the_policy(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows(is_admin=True, traits={"team": "x"}, profile_context="Builds boats."))
    person = on_slack()
    assert (person.ref, person.tier, person.access_level, person.is_admin) == (
        "m-1",
        "mentor",
        "mentor",
        True,
    )
    assert (person.display_name, person.email, person.slack_user_id) == ("Ana", "ana@a.example", "U1")
    assert person.profile_context == "Builds boats."
    assert person.traits["team"] == "x"
    assert "tier_source" not in person.traits
    stored = principals.by_slack("U1")
    assert stored is not None
    assert stored == person.principal
    assert stored.tier_resolved_at is not None


def test_a_tier_is_believed_five_minutes(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows(), knows("alumni"))
    on_slack()
    age_tiers(290)
    assert on_slack().tier == "mentor"
    assert questions(people_backend) == 1
    age_tiers(301)
    assert on_slack().tier == "alumni"


def test_an_unresolved_person_is_looked_at_again_after_half_a_minute(
    people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    set_access(in_tenant, slack="integration")
    person = on_slack()
    assert (person.tier, person.access_level, person.ref) == (
        "unresolved",
        "unresolved_slack_user",
        "slack:U1",
    )
    age_tiers(25)
    on_slack()
    assert questions(people_backend) == 1
    people_backend.answer(ROUTE, knows())
    age_tiers(31)
    assert on_slack().tier == "mentor"
    assert Principal.objects.count() == 1


def test_open_slack_vouches_for_those_the_backend_does_not_know(
    people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    set_access(in_tenant, default_tier="guest")
    person = on_slack()
    assert (person.tier, person.ref, person.display_name) == ("guest", "slack:U1", "ana.slack")
    assert person.traits["tier_source"] == "channel_trust"
    assert not person.is_admin


@pytest.mark.parametrize("tier", ["unresolved", "public", "public_email"])
def test_a_reserved_tier_from_a_backend_vouches_for_nothing(people_backend: FakeBackend, tier: str) -> None:
    people_backend.answer(ROUTE, knows(tier, is_admin=True))
    person = on_slack()
    assert (person.ref, person.tier, person.is_admin) == ("m-1", "member", False)
    assert person.traits["tier_source"] == "channel_trust"


def test_trust_is_taken_back_at_once_when_the_policy_changes(in_tenant: Tenant) -> None:
    assert on_slack().tier == "member"
    set_access(in_tenant, slack="integration")
    person = on_slack()
    assert person.tier == "unresolved"
    assert "tier_source" not in person.traits
    set_access(in_tenant, default_tier="guest")
    assert on_slack().tier == "guest"


@pytest.mark.usefixtures("in_tenant")
def test_an_author_from_another_workspace_is_nobodys_member(people_backend: FakeBackend) -> None:
    on_slack()  # taken for a colleague before
    assert on_slack(in_workspace=False).tier == "unresolved"
    people_backend.answer(ROUTE, knows("partner"))
    age_tiers(31)
    assert on_slack(in_workspace=False).tier == "partner"


def test_dashboard_users_are_members_where_the_channel_says_nothing(in_tenant: Tenant) -> None:
    set_access(in_tenant, slack="integration")
    person = on_slack(dashboard_user=True)
    assert (person.tier, person.traits["tier_source"]) == ("member", "dashboard_user")
    assert on_slack(dashboard_user=False).tier == "unresolved"


@pytest.mark.parametrize("trouble", [DOWN, Reply(hang_up="at_once"), Reply(b"<html>"), Reply({}, status=404)])
def test_a_dead_backend_takes_no_tier_away(people_backend: FakeBackend, trouble: Reply) -> None:
    people_backend.answer(ROUTE, knows(is_admin=True))
    on_slack()
    people_backend.answer(ROUTE, trouble)
    age_tiers(400)
    person = on_slack()
    assert (person.tier, person.is_admin, person.ref) == ("mentor", True, "m-1")
    asked = questions(people_backend)
    on_slack()
    assert questions(people_backend) == asked  # the next question waits half a minute
    people_backend.answer(ROUTE, knows("alumni"))
    age_tiers(301)
    assert on_slack().tier == "alumni"


def test_a_dead_backend_leaves_what_the_policy_gives(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, DOWN)
    assert on_slack().tier == "member"


def test_a_backend_that_says_nobody_takes_its_tier_back(
    people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    set_access(in_tenant, slack="integration")
    people_backend.answer(ROUTE, knows(is_admin=True))
    on_slack()
    people_backend.answer(ROUTE, NOBODY)
    age_tiers(400)
    person = on_slack()
    assert (person.tier, person.is_admin, person.ref) == ("unresolved", False, "m-1")


def test_the_word_of_a_disabled_backend_ends_with_it(people_backend: FakeBackend, in_tenant: Tenant) -> None:
    from apps.integrations.registration import disable

    set_access(in_tenant, slack="integration")
    people_backend.answer(ROUTE, knows())
    on_slack()
    disable("people")
    age_tiers(400)
    assert on_slack().tier == "unresolved"


def test_people_stored_without_any_backend_keep_their_tier(in_tenant: Tenant) -> None:
    principals.upsert(principals.PersonFacts(ref="m-9", tier="mentor", slack_user_id="U1"))
    age_tiers(400)
    assert (on_slack().ref, on_slack().tier) == ("m-9", "mentor")


def test_of_several_backends_the_first_that_vouches_counts(
    people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    from apps.integrations.models import Integration

    people_backend.answer(ROUTE, knows("unresolved"))
    with FakeBackend() as second:
        second.answer(ROUTE, knows("fellow", principal_ref="f-1"))
        Integration.objects.create(name="second", base_url=second.url, signing_secret=second.secret)
        assert (on_slack().ref, on_slack().tier) == ("f-1", "fellow")


def test_a_pending_backend_is_asked_once_its_manifest_is_good(in_tenant: Tenant) -> None:
    from apps.integrations.registration import register

    with FakeBackend(secret="a-long-secret") as fresh:
        register(name="fresh", base_url=fresh.url, signing_secret=fresh.secret)
        fresh.answer(ROUTE, knows())
        assert on_slack().tier == "member"
        assert questions(fresh) == 0
        from apps.foundation import ttl_cache

        ttl_cache.clear_all()
        age_tiers(400)
        fresh.answer("GET /integration/manifest", Reply({"protocol": "root-int/1", "tools": []}))
        assert on_slack().tier == "mentor"


def test_a_slack_id_moves_to_its_newer_claimant(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows(), knows(principal_ref="m-2"))
    on_slack()
    age_tiers(400)
    assert on_slack().ref == "m-2"
    assert set(Principal.objects.values_list("ref", "slack_user_id")) == {("m-1", None), ("m-2", "U1")}


def test_no_connection_is_held_while_the_backend_thinks(
    committed_db: None, people_backend: FakeBackend, in_tenant: Tenant
) -> None:
    from django.db import connections

    own = connections["default"]
    held: list[bool] = []

    def look(_: object) -> Reply:
        held.append(own.connection is not None)
        return knows()

    people_backend.answer(ROUTE, look)
    assert on_slack().tier == "mentor"
    assert held == [False]
