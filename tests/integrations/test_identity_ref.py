"""People found by their reference: how long a stored tier is believed, and who is asked after that."""

from __future__ import annotations

from typing import Any

import pytest

from apps.integrations.identity import resolve
from apps.integrations.person import ResolvedPerson
from apps.tenancy import principals
from apps.tenancy.models import Principal, Tenant
from tests.fakes.backend import FakeBackend
from tests.integrations.identity_steps import (
    DOWN,
    NOBODY,
    ROUTE,
    age_tiers,
    by_mail,
    knows,
    on_slack,
    questions,
    set_access,
)

ANA = "ana@a.example"
BOTH: dict[str, Any] = {"slack_user_id": "U1", "email": ANA}


def by_ref(ref: str = "m-1", **changes: Any) -> ResolvedPerson:
    return resolve(channel="api", ref=ref, **changes)


def store(*, ref: str = "m-1", age: float = 301, **facts: Any) -> None:
    """A person somebody gave a tier a while ago."""
    principals.upsert(principals.PersonFacts(**{"ref": ref, "tier": "mentor", **facts}))
    age_tiers(age)


def asked(backend: FakeBackend) -> list[Any]:
    return [call.json for call in backend.calls(ROUTE)]


def test_a_stored_tier_is_believed_five_minutes(people_backend: FakeBackend) -> None:
    store(**BOTH, age=290)
    assert by_ref().tier == "mentor"
    assert questions(people_backend) == 0


@pytest.mark.parametrize(
    ("known_by", "question"),
    [
        ({"slack_user_id": "U1"}, {"channel": "slack", "slack_user_id": "U1"}),
        ({"email": ANA}, {"channel": "email", "email": ANA}),
        (BOTH, {"channel": "slack", **BOTH}),
    ],
)
def test_then_the_backends_are_asked_as_the_channels_ask(
    people_backend: FakeBackend, known_by: dict[str, Any], question: dict[str, str]
) -> None:
    people_backend.answer(ROUTE, knows("alumni", is_admin=True, email=None))
    store(**known_by)
    person = by_ref()
    assert (person.ref, person.tier, person.is_admin) == ("m-1", "alumni", True)
    assert (person.email, person.slack_user_id) == (known_by.get("email"), known_by.get("slack_user_id"))
    assert by_ref().tier == "alumni"
    assert asked(people_backend) == [question]


def test_whom_slack_does_not_tell_the_address_may(people_backend: FakeBackend) -> None:
    people_backend.answer(ROUTE, NOBODY, knows("alumni"))
    store(**BOTH)
    assert by_ref().tier == "alumni"
    assert [question["channel"] for question in asked(people_backend)] == ["slack", "email"]


@pytest.mark.parametrize("known_by", [{"slack_user_id": "U1"}, {"email": ANA}, BOTH])
def test_a_backend_takes_its_tier_back(people_backend: FakeBackend, known_by: dict[str, Any]) -> None:
    store(**known_by, is_admin=True)
    assert (by_ref().tier, by_ref().is_admin) == ("unresolved", False)
    stored = Principal.objects.get()
    assert (stored.ref, stored.tier, stored.is_admin) == ("m-1", "unresolved", False)


@pytest.mark.parametrize("known_by", [{"slack_user_id": "U1"}, {"email": ANA}, BOTH])
def test_one_that_cannot_be_heard_takes_nothing_and_is_left_alone_a_while(
    people_backend: FakeBackend, known_by: dict[str, Any]
) -> None:
    people_backend.answer(ROUTE, DOWN)
    store(**known_by, is_admin=True)
    for _ in range(3):
        assert (by_ref().tier, by_ref().is_admin) == ("mentor", True)
    assert questions(people_backend) == 1
    people_backend.answer(ROUTE, NOBODY)
    age_tiers(301)
    assert by_ref().tier == "unresolved"


def test_an_unresolved_person_is_asked_about_again_after_half_a_minute(people_backend: FakeBackend) -> None:
    store(**BOTH, tier="unresolved", age=25)
    assert (by_ref().tier, questions(people_backend)) == ("unresolved", 0)
    people_backend.answer(ROUTE, knows())
    age_tiers(31)
    assert by_ref().tier == "mentor"


def test_a_person_nobody_can_be_asked_about_stays(people_backend: FakeBackend) -> None:
    store()
    before = Principal.objects.values().get()
    assert by_ref().tier == "mentor"
    assert Principal.objects.values().get() == before
    assert questions(people_backend) == 0


def test_a_reference_takes_no_tier_from_the_channel(people_backend: FakeBackend, in_tenant: Tenant) -> None:
    set_access(in_tenant, slack="open", email_domains=["a.example"])
    store(**BOTH)
    assert by_ref().tier == "unresolved"
    assert on_slack().tier == "member"


@pytest.mark.parametrize("met", [on_slack, by_mail])
def test_what_policy_gave_lasts_while_it_gives_it(
    people_backend: FakeBackend, in_tenant: Tenant, met: Any
) -> None:
    set_access(in_tenant, email_domains=["a.example"])
    known = met()
    grounds = dict(known.traits)
    age_tiers(301)
    before = questions(people_backend)
    assert (by_ref(known.ref).tier, by_ref(known.ref).traits) == ("member", grounds)
    assert questions(people_backend) == before + 1
    set_access(in_tenant, slack="integration", email="integration")
    assert by_ref(known.ref).tier == "unresolved"


def test_a_backend_wins_over_what_policy_gave(people_backend: FakeBackend) -> None:
    on_slack()
    people_backend.answer(ROUTE, knows())
    age_tiers(301)
    person = by_ref("slack:U1")
    assert (person.ref, person.tier, person.slack_user_id) == ("m-1", "mentor", "U1")
    assert "tier_source" not in person.traits
    assert Principal.objects.count() == 1


@pytest.mark.parametrize("known_by", [{"slack_user_id": "U1"}, {"email": ANA}])
def test_a_reference_is_not_answered_with_somebody_else(
    people_backend: FakeBackend, known_by: dict[str, Any]
) -> None:
    people_backend.answer(ROUTE, knows("mentor", principal_ref="m-2", is_admin=True))
    store(**known_by, is_admin=True)
    person = by_ref()
    assert (person.ref, person.tier, person.is_admin) == ("m-1", "unresolved", False)
    assert not Principal.objects.filter(ref="m-2").exists()


@pytest.mark.parametrize("said", [knows("alumni"), NOBODY, DOWN])
def test_a_rehearsal_writes_nothing(people_backend: FakeBackend, said: Any) -> None:
    people_backend.answer(ROUTE, said)
    store(**BOTH)
    before = Principal.objects.values().get()
    rehearsed = by_ref(remember=False)
    assert Principal.objects.values().get() == before
    assert rehearsed.tier == by_ref().tier
