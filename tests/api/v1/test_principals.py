"""People in bulk, their state, and forgetting, over HTTP."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from apps.agent.models import MemberPreference
from apps.foundation import clock
from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.principals import PersonFacts
from tests.api.v1.calling import Program, counted_queries

ADA = PersonFacts(
    ref="p-ada", tier="member", display_name="Ada", email="ada@x.example", slack_user_id="U0ADA"
)


@pytest.fixture
def ada(tenant: Tenant) -> Principal:
    with tenant_context(tenant):
        row = principals.upsert(ADA)
        Principal.objects.filter(pk=row.pk).update(
            conversation_memory="Likes the terrace.",
            conversation_memory_updated_at=clock.now(),
            conversation_memory_source_count=12,
            conversation_memory_version=3,
            conversation_memory_last_error="a model was away",
            preferences={"auto_reply": "off"},
        )
        for number, ref in enumerate(["p-ada", "slack:U0ADA", "p-bo"]):
            MemberPreference.objects.create(member_id=ref, instructions=f"Wish {number}")
        row.refresh_from_db()
        return row


@pytest.fixture
def program(tenant: Tenant) -> Program:
    return Program(tenant)


def statuses(answer: Any) -> list[str]:
    return [each["status"] for each in answer["results"]]


def test_people_are_added_updated_and_left(program: Program, ada: Principal) -> None:
    sent = [
        {"ref": "p-ada", "tier": "mentor", "traits": {"team": "sea\x01"}, "display_name": None},
        {"ref": "p-new", "tier": "partner", "email": "New@X.example", "is_admin": True},
    ]
    status, answer = program.post("/principals/sync", {"principals": sent})
    assert (status, statuses(answer)) == (200, ["updated", "created"])
    assert (answer["created"], answer["updated"], answer["refused"]) == (1, 1, 0)
    _, again = program.post("/principals/sync", {"principals": sent})
    assert statuses(again) == ["unchanged", "unchanged"]
    _, state = program.get("/principals/state", ref="p-ada")
    person = state["principal"]
    assert (person["tier"], person["display_name"], person["traits"]) == ("mentor", "Ada", {"team": "sea"})
    _, new = program.get("/principals/state", email="new@x.EXAMPLE")
    assert (new["principal"]["ref"], new["principal"]["is_admin"]) == ("p-new", True)


def test_who_cannot_be_used_is_refused_alone(program: Program, tenant: Tenant) -> None:
    wrong = [
        {"ref": "p-1", "tier": "public"},
        {"ref": "p-2", "tier": "Un resolved"},
        {"ref": "p-3", "tier": "__admin__"},
        {"ref": "p-4", "tier": " \u200b "},
        {"ref": "anonymous", "tier": "member"},
        {"ref": "email:a@x.example", "tier": "member"},
        {"ref": " ", "tier": "member"},
        {"ref": "p-5", "tier": "member", "email": "nobody"},
        {"ref": "p-6", "tier": "member", "slack_user_id": " "},
        {"ref": "p-7", "tier": "member", "traits": {"much": "x" * 16_000}},
        {"ref": "p-8", "tier": "t" * 65},
    ]
    good = {"ref": "p-9", "tier": "member"}
    status, answer = program.post(
        "/principals/sync", {"principals": [*wrong, good, {**good, "tier": "mentor"}]}
    )
    assert status == 200
    assert statuses(answer) == ["refused"] * len(wrong) + ["created", "refused"]
    assert all(each["problem"] for each in answer["results"] if each["status"] == "refused")
    with tenant_context(tenant):
        assert list(Principal.objects.values_list("ref", "tier")) == [("p-9", "member")]


def test_an_address_stays_with_whoever_is_known_by_it(program: Program, ada: Principal) -> None:
    entries = [
        {"ref": "p-x", "tier": "member", "email": "ada@x.example", "slack_user_id": "U0ADA"},
        {"ref": "p-y", "tier": "member", "email": "one@x.example"},
        {"ref": "p-z", "tier": "member", "email": "one@x.example"},
    ]
    _, answer = program.post("/principals/sync", {"principals": entries})
    assert [sorted(each["left_out"]) for each in answer["results"]] == [
        ["email", "slack_user_id"],
        [],
        ["email"],
    ]
    assert program.get("/principals/state", slack_user_id="U0ADA")[1]["principal"]["ref"] == "p-ada"


def test_grounds_of_an_earlier_tier_go_with_it(program: Program, tenant: Tenant) -> None:
    with tenant_context(tenant):
        traits = {"team": "sea", "tier_source": "channel_trust", "tier_channel": "slack"}
        principals.upsert(PersonFacts(ref="p-ada", tier="member", traits=traits))
    program.post("/principals/sync", {"principals": [{"ref": "p-ada", "tier": "member"}]})
    program.post(
        "/principals/sync",
        {"principals": [{"ref": "p-bo", "tier": "member", "traits": {"tier_integration": "x", "a": 1}}]},
    )
    with tenant_context(tenant):
        assert dict(Principal.objects.values_list("ref", "traits")) == {
            "p-ada": {"team": "sea"},
            "p-bo": {"a": 1},
        }


def test_five_hundred_take_as_many_statements_as_two(program: Program) -> None:
    def people(start: int, number: int) -> dict[str, Any]:
        entries = [
            {"ref": f"p-{each}", "tier": "member", "email": f"p{each}@x.example"}
            for each in range(start, start + number)
        ]
        return {"principals": entries}

    with counted_queries() as few:
        assert program.post("/principals/sync", people(0, 2))[1]["created"] == 2
    with counted_queries() as many:
        assert program.post("/principals/sync", people(10, 500))[1]["created"] == 500
    assert many == few
    assert program.post("/principals/sync", people(0, 501))[0] == 400


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"principals": []},
        {"principals": [{"ref": "p"}]},
        {"principals": [{"ref": "", "tier": "member"}]},
        {"principals": [{"ref": "p\x00", "tier": "member"}]},
        {"principals": [{"ref": 7, "tier": "member"}]},
        {"principals": [{"ref": "p", "tier": "member", "admin": True}]},
        {"principals": [{"ref": "p", "tier": "member", "is_admin": "yes"}]},
        {"principals": [{"ref": "p", "tier": "member", "display_name": "\ud800"}]},
    ],
)
def test_a_body_of_another_shape_is_400(program: Program, body: Any) -> None:
    assert program.post("/principals/sync", body)[0] == 400


def test_the_state_of_a_person_by_each_name(program: Program, ada: Principal) -> None:
    for name in ({"ref": "p-ada"}, {"email": " ADA@x.example"}, {"slack_user_id": "U0ADA"}):
        status, state = program.get("/principals/state", **name)
        assert (status, state["principal"]["ref"]) == (200, "p-ada")
    memory = state["memory"]
    assert (memory["text"], memory["source_count"], memory["version"]) == ("Likes the terrace.", 12, 3)
    assert memory["last_error"] == "a model was away"
    assert {row["instructions"] for row in state["preferences"]} == {"Wish 0", "Wish 1"}
    assert state["settings"] == {"auto_reply": "off"}


@pytest.mark.parametrize("query", [{}, {"ref": "a", "email": "a@x.example"}, {"ref": ""}, {"name": "Ada"}])
def test_a_person_is_named_exactly_once(program: Program, query: dict[str, str]) -> None:
    assert program.get("/principals/state", **query)[0] == 400
    assert program.post("/principals/memory/reset", query)[0] == 400


@pytest.mark.parametrize(
    "body", [{"ref": None}, {"ref": "p-ada", "email": None}, {"ref": "p-ada", "clear_preferences": 1}]
)
def test_null_is_no_name(program: Program, ada: Principal, body: Any) -> None:
    assert program.post("/principals/memory/reset", body)[0] == 400


def test_memory_is_forgotten_and_on_demand_the_wishes(program: Program, ada: Principal) -> None:
    status, answer = program.post("/principals/memory/reset", {"slack_user_id": "U0ADA"})
    memory = answer["memory"]
    assert (status, memory["text"], memory["source_count"], memory["version"]) == (200, "", 0, 4)
    assert memory["reset_at"] and memory["updated_at"] is None and memory["last_error"] == ""
    assert answer["preferences_cleared"] == 0
    assert len(program.get("/principals/state", ref="p-ada")[1]["preferences"]) == 2
    _, answer = program.post("/principals/memory/reset", {"ref": "p-ada", "clear_preferences": True})
    assert answer["preferences_cleared"] == 2
    state = program.get("/principals/state", ref="p-ada")[1]
    assert (state["preferences"], state["settings"]) == ([], {})


def test_somebody_elses_person_is_nobody(other_tenant: Tenant, ada: Principal) -> None:
    theirs = Program(other_tenant)
    for name in ({"ref": "p-ada"}, {"email": "ada@x.example"}, {"slack_user_id": "U0ADA"}):
        assert theirs.get("/principals/state", **name)[0] == 404
        assert theirs.post("/principals/memory/reset", name)[0] == 404
    assert Program(ada.tenant).get("/principals/state", ref="p-ada")[1]["memory"]["text"]


def test_a_preference_is_made_inactive(program: Program, other_tenant: Tenant, ada: Principal) -> None:
    with tenant_context(ada.tenant):
        wish = MemberPreference.objects.get(member_id="slack:U0ADA")
    path = f"/principals/preferences/{wish.pk}/deactivate"
    assert Program(other_tenant).post(path)[0] == 404
    for _ in range(2):
        status, answer = program.post(path)
        assert (status, answer["active"], answer["id"]) == (200, False, str(wish.pk))
    assert program.post(f"/principals/preferences/{uuid.uuid4()}/deactivate")[0] == 404
    assert program.post("/principals/preferences/7/deactivate")[0] == 404
    assert program.get(path)[0] == 405
