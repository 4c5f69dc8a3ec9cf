"""Identity, roster, personal links and escalations."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.scripts.reference_backend.house import House

RESOLVE = "/integration/identity/resolve"
LINKS = "/integration/links/issue"
ESCALATIONS = "/integration/escalations"


@pytest.mark.parametrize(
    "asked",
    [
        {"channel": "slack", "slack_user_id": "U0TIDE001"},
        {"channel": "email", "email": " Nell@Tidemill.EXAMPLE "},
        {"channel": "email", "email": "odile@marshcounsel.example", "slack_user_id": "U0TIDE001"},
    ],
)
def test_people_are_known_by_slack_id_first_or_address(house: House, asked: dict[str, str]) -> None:
    principal = house.post(RESOLVE, asked).json()["principal"]
    assert (principal["principal_ref"], principal["tier"], principal["is_admin"]) == (
        "tm-001",
        "member",
        True,
    )
    assert set(principal) == {
        "principal_ref", "display_name", "tier", "is_admin", "traits", "email", "profile_context",
    }  # fmt: skip


def test_strangers_are_null(house: House) -> None:
    reply = house.post(RESOLVE, {"channel": "email", "email": "nobody@elsewhere.example"})
    assert (reply.status, reply.json()) == (200, {"principal": None, "acts_for": None})


def test_asking_for_nobody_is_a_bad_request(house: House) -> None:
    assert house.post(RESOLVE, {"channel": "slack", "email": 7}).status == 400


def test_an_assistant_acts_for_a_mentor_by_mail_only(house: House) -> None:
    pim = {"email": "pim@marshcounsel.example"}
    acts_for = house.post(RESOLVE, {"channel": "email", **pim}).json()["acts_for"]
    assert (acts_for["reason"], acts_for["principal"]["principal_ref"]) == ("historical_cc", "tm-031")
    assert house.post(RESOLVE, {"channel": "slack", **pim}).json()["acts_for"] is None


def test_the_roster_holds_everybody_with_slack_ids(house: House) -> None:
    principals = house.get("/integration/identity/roster").json()["principals"]
    assert len({person["slack_user_id"] for person in principals}) == len(principals) == 14
    assert {person["tier"] for person in principals} == {"member", "mentor", "alumni", "guest"}


def test_links_are_fresh_each_time(house: House) -> None:
    asked = {"destination": "visitor-form", "principal_ref": "tm-011"}
    first, second = (house.post(LINKS, asked).json()["url"] for _ in range(2))
    assert first.startswith("https://house.tidemill.example/my/visitors?ticket=")
    assert first != second


@pytest.mark.parametrize(
    "asked",
    [
        {"destination": "vault", "principal_ref": "tm-011"},
        {"destination": "visitor-form", "principal_ref": "email:nobody@elsewhere.example"},
        {"destination": ["visitor-form"], "principal_ref": "tm-011"},
        {},
    ],
)
def test_links_to_nowhere_or_for_nobody_are_not_found(house: House, asked: dict[str, Any]) -> None:
    assert house.post(LINKS, asked).status == 404


def test_an_escalation_is_kept_once_and_shown_to_administrators(house: House) -> None:
    notice = {
        "type": "escalation", "tenant_id": str(uuid.uuid4()), "intervention_id": str(uuid.uuid4()),
        "principal_ref": "tm-011", "user_name": "Amara Quill", "channel": "web", "tier": "member",
        "escalation_reason": "needs a person", "user_request_summary": "lost key",
        "what_was_checked": "the pages",
    }  # fmt: skip
    for _ in range(2):
        assert house.post(ESCALATIONS, notice).json() == {"success": True}
    kept = house.get(ESCALATIONS).json()["escalations"]
    mine = [entry for entry in kept if entry["intervention_id"] == notice["intervention_id"]]
    assert [{key: entry[key] for key in notice} for entry in mine] == [notice]
    shown = house.succeed("list_open_tickets", {}, is_admin=True)["handed_over_by_root"]
    assert notice["intervention_id"] in [entry["intervention_id"] for entry in shown]


def test_a_notice_without_a_type_is_a_bad_request(house: House) -> None:
    assert house.post(ESCALATIONS, {"type": 5}).status == 400
