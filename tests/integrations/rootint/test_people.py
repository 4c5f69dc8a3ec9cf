"""Identity, roster, links and escalations at the wire."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.foundation.http_failure import HttpFailure
from apps.integrations.models import Integration
from apps.integrations.rootint.escalations import Escalation, send_escalation
from apps.integrations.rootint.links import issue_link
from apps.integrations.rootint.people import identify, read_person, roster
from tests.fakes.backend import FakeBackend, Reply

IDENTITY = "POST /integration/identity/resolve"
ROSTER = "GET /integration/identity/roster"
LINKS = "POST /integration/links/issue"
ESCALATIONS = "POST /integration/escalations"
ANA = {"principal_ref": "m-1", "display_name": "Ana", "tier": "member"}


def test_the_question_names_only_what_is_known(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(IDENTITY, Reply({"principal": ANA}))
    assert identify(integration, channel="slack", slack_user_id="U1").person is not None
    assert backend.calls(IDENTITY)[0].json == {"channel": "slack", "slack_user_id": "U1"}
    assert backend.calls(IDENTITY)[0].signed


def test_an_unknown_person_is_an_answer(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(IDENTITY, Reply({"principal": None}), Reply({"principal": None}, status=404))
    assert identify(integration, channel="email", email="x@a.example").person is None
    assert identify(integration, channel="email", email="x@a.example").person is None


@pytest.mark.parametrize(
    "reply",
    [
        Reply({}, status=404), Reply(status=500), Reply({}), Reply([]), Reply(b"no"), Reply({"principal": "m-1"}),
        Reply({"principal": {"principal_ref": "m-1"}}), Reply({"principal": {**ANA, "principal_ref": "anonymous"}}),
        Reply({"principal": {**ANA, "tier": "x" * 65}}), Reply(status=302, headers={"location": "/x"}),
    ],
)  # fmt: skip
def test_anything_else_is_a_failure_not_a_stranger(
    integration: Integration, backend: FakeBackend, reply: Reply
) -> None:
    backend.answer(IDENTITY, reply)
    with pytest.raises(HttpFailure):
        identify(integration, channel="slack", slack_user_id="U1")


def test_acting_for_somebody_else(integration: Integration, backend: FakeBackend) -> None:
    acts_for: dict[str, Any] = {"reason": "historical_cc", "principal": ANA}
    backend.answer(
        IDENTITY,
        Reply({"principal": None, "acts_for": acts_for}),
        Reply({"principal": None, "acts_for": {**acts_for, "reason": "because"}}),
    )
    found = identify(integration, channel="email", email="x@a.example").acts_for
    assert found is not None
    assert (found.reason, found.person.ref) == ("historical_cc", "m-1")
    assert identify(integration, channel="email", email="x@a.example").acts_for is None


def test_a_person_is_read_tolerantly_and_bounded() -> None:
    person = read_person(
        {
            "principal_ref": 7,
            "tier": " mentor ",
            "display_name": "A\nB",
            "is_admin": "true",
            "traits": {"team": "x", "tier_source": "channel_trust"},
            "email": " Ana@A.Example ",
            "slack_user_id": 5,
            "profile_context": "p" * 10_000,
        }
    )
    assert person is not None
    assert (person.ref, person.tier, person.display_name) == ("7", "mentor", "A B")
    assert (person.is_admin, person.email, person.slack_user_id) == (False, "ana@a.example", None)
    assert person.traits == {"team": "x"}
    assert len(person.profile_context) == 8_000


def test_a_roster_without_what_cannot_be_used(integration: Integration, backend: FakeBackend) -> None:
    entries = [
        {**ANA, "slack_user_id": "U1"}, {**ANA, "tier": "unresolved"}, {**ANA, "tier": "public"},
        {**ANA, "tier": "public_email"}, {"tier": "member"}, "x", None,
    ]  # fmt: skip
    backend.answer(ROSTER, Reply({"principals": entries}))
    found = roster(integration)
    assert found is not None
    assert [(person.ref, person.slack_user_id) for person in found] == [("m-1", "U1")]


def test_no_roster_is_not_an_empty_roster(integration: Integration, backend: FakeBackend) -> None:
    assert roster(integration) is None
    backend.answer(ROSTER, Reply({"principals": {}}))
    with pytest.raises(HttpFailure):
        roster(integration)


def test_a_link_for_one_person(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(LINKS, Reply({"url": "https://app.example/me?t=1"}))
    assert issue_link(integration, destination="profile", principal_ref="m-1") == "https://app.example/me?t=1"
    assert backend.calls(LINKS)[0].json == {"destination": "profile", "principal_ref": "m-1"}


@pytest.mark.parametrize(
    "url", [None, 5, "", "/me", "javascript:1", "ftp://x/", "https://", "https://a/>x|y", "http://[x"]
)
def test_an_unusable_link_is_a_failure(integration: Integration, backend: FakeBackend, url: Any) -> None:
    backend.answer(LINKS, Reply({"url": url}))
    with pytest.raises(HttpFailure):
        issue_link(integration, destination="profile", principal_ref="m-1")


def test_an_escalation_as_it_travels(integration: Integration, backend: FakeBackend) -> None:
    backend.answer(ESCALATIONS, Reply(b"", status=204), Reply(status=500))
    escalation = Escalation(
        intervention_id=uuid4(),
        principal_ref="m-1",
        user_name="Ana",
        channel="slack",
        tier="member",
        escalation_reason="asked for it",
        user_request_summary="a key",
    )
    send_escalation(integration, escalation)
    assert backend.calls(ESCALATIONS)[0].json == {
        "type": "escalation",
        "tenant_id": str(integration.tenant_id),
        "intervention_id": str(escalation.intervention_id),
        "principal_ref": "m-1",
        "user_name": "Ana",
        "channel": "slack",
        "tier": "member",
        "escalation_reason": "asked for it",
        "user_request_summary": "a key",
        "what_was_checked": "",
    }
    with pytest.raises(HttpFailure):
        send_escalation(integration, escalation)
