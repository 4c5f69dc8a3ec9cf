"""People who write mail, call the API, or say nothing about themselves."""

from __future__ import annotations

import pytest

from apps.integrations.identity import resolve
from apps.tenancy import principals
from apps.tenancy.models import Principal, Tenant
from tests.fakes.backend import FakeBackend, Reply
from tests.integrations.identity_steps import (
    DOWN,
    NOBODY,
    ROUTE,
    by_mail,
    knows,
    on_slack,
    questions,
    set_access,
)


def test_the_backend_is_asked_first_and_every_time(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows(), knows("alumni"))
    assert (by_mail().ref, by_mail(" ANA@a.Example ").tier) == ("m-1", "alumni")
    assert people_backend.calls(ROUTE)[1].json == {"channel": "email", "email": "ana@a.example"}


def test_a_trusted_domain_vouches_next(people_backend: FakeBackend, in_tenant: Tenant) -> None:
    set_access(in_tenant, email_domains=["a.example"], default_tier="guest")
    person = by_mail("Ben@Sub.a.example", display_name="Ben")
    assert (person.ref, person.tier, person.display_name) == ("email:ben@sub.a.example", "guest", "Ben")
    assert person.traits["tier_source"] == "channel_trust"
    assert person.principal is not None


def test_everybody_else_gets_the_public_surface_and_no_record(people_backend: FakeBackend) -> None:
    person = by_mail("stranger@b.example")
    assert (person.ref, person.tier, person.access_level) == (
        "email:stranger@b.example",
        "public_email",
        "public_email",
    )
    assert (person.principal, person.is_admin) == (None, False)
    assert Principal.objects.count() == 0


@pytest.mark.usefixtures("people_backend")
def test_an_unvouched_address_does_not_open_the_record_of_a_slack_member(in_tenant: Tenant) -> None:
    on_slack()
    principals.upsert(principals.PersonFacts(ref="slack:U1", tier="member", email="ana@a.example"))
    person = by_mail()
    assert (person.tier, person.principal) == ("public_email", None)
    stored = principals.by_slack("U1")
    assert stored is not None
    assert (stored.tier, stored.traits["tier_source"]) == ("member", "channel_trust")


def test_trust_in_a_domain_is_taken_back(in_tenant: Tenant) -> None:
    set_access(in_tenant, email_domains=["a.example"])
    assert by_mail().tier == "member"
    set_access(in_tenant, email_domains=[])
    assert by_mail().tier == "public_email"
    stored = principals.by_email("ana@a.example")
    assert stored is not None
    assert (stored.tier, stored.traits) == ("unresolved", {})


def test_a_dead_backend_takes_nothing_from_mail_either(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows(is_admin=True))
    by_mail()
    people_backend.answer(ROUTE, DOWN)
    person = by_mail()
    assert (person.ref, person.tier, person.is_admin) == ("m-1", "mentor", True)
    people_backend.answer(ROUTE, NOBODY)
    assert by_mail().tier == "public_email"


def test_acting_for_somebody_is_passed_on(people_backend: FakeBackend) -> None:
    answer = knows().body
    acts_for = {"reason": "historical_cc", "principal": {**answer["principal"], "principal_ref": "m-7"}}
    people_backend.answer(ROUTE, Reply({**answer, "acts_for": acts_for}))
    person = by_mail()
    assert person.acts_for is not None
    assert person.acts_for.person.ref == "m-7"


def test_a_reference_is_looked_up_as_it_is_stored(people_backend: FakeBackend) -> None:
    principals.upsert(principals.PersonFacts(ref="m-1", tier="mentor", display_name="Ana"))
    person = resolve(channel="api", ref="m-1")
    assert (person.ref, person.tier, person.display_name) == ("m-1", "mentor", "Ana")
    assert questions(people_backend) == 0


def test_a_reference_trusted_by_policy_is_judged_by_todays(in_tenant: Tenant) -> None:
    on_slack()
    assert resolve(channel="api", ref="slack:U1").tier == "member"
    set_access(in_tenant, slack="integration")
    assert resolve(channel="api", ref="slack:U1").tier == "unresolved"


@pytest.mark.usefixtures("in_tenant")
def test_an_unknown_reference_is_kept_and_unresolved() -> None:
    person = resolve(channel="api", ref="m-404")
    assert (person.ref, person.tier, person.principal) == ("m-404", "unresolved", None)


def test_after_an_unknown_reference_the_address_counts(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, knows())
    assert resolve(channel="api", ref="m-404", email="ana@a.example").ref == "m-1"


def test_after_an_unvouched_address_the_slack_id_counts(people_backend: FakeBackend) -> None:
    person = resolve(channel="api", email="ana@a.example", slack_user_id="U1")
    assert (person.ref, person.tier) == ("slack:U1", "member")


@pytest.mark.parametrize("email", [None, "", "nonsense", "a@b@c", "\x00", "x" * 400 + "@a.example"])
@pytest.mark.usefixtures("in_tenant")
def test_whoever_says_nothing_usable_is_anonymous(email: str | None) -> None:
    person = resolve(channel="web", email=email)
    assert (person.ref, person.tier, person.access_level) == ("anonymous", "unresolved", "unresolved")
    assert person.principal is None


def test_tenants_do_not_share_identities(people_backend: FakeBackend, other_tenant: Tenant) -> None:
    from apps.tenancy.context import tenant_context

    people_backend.answer(ROUTE, knows())
    assert by_mail().tier == "mentor"
    with tenant_context(other_tenant):
        assert by_mail().tier == "public_email"
    assert questions(people_backend) == 1
