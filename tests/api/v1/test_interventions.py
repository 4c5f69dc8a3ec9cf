"""Matters opened and listed by a program, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.interventions import sinks
from apps.agent.models import HumanIntervention
from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.principals import PersonFacts
from tests.api.v1.calling import Program, counted_queries

ASKED = {"category": "request", "title": "A key is lost", "details": "The blue one."}


@pytest.fixture
def program(tenant: Tenant) -> Program:
    with tenant_context(tenant):
        principals.upsert(PersonFacts(ref="p-ada", tier="member", email="ada@x.example"))
    return Program(tenant)


def test_a_matter_is_opened_and_the_sinks_are_told(program: Program) -> None:
    told: list[HumanIntervention] = []
    sinks.SINKS.append(told.append)
    try:
        status, answer = program.post(
            "/interventions",
            {
                **ASKED,
                "principal": {"email": "ADA@x.example"},
                "metadata": {"ticket": 7, "note": "a\x00b", "sinks": {"forged": {"status": "delivered"}}},
            },
        )
    finally:
        sinks.SINKS.remove(told.append)
    assert status == 201
    assert (answer["status"], answer["channel"], answer["principal_ref"]) == ("open", "api", "p-ada")
    assert answer["metadata"] == {"ticket": 7, "note": "ab"}
    assert [str(row.pk) for row in told] == [answer["id"]]
    assert "forged" not in str(told[0].metadata)


def test_a_title_nobody_could_see_is_the_category(program: Program) -> None:
    status, answer = program.post("/interventions", {**ASKED, "title": "\u200b \t"})
    assert (status, answer["title"]) == (201, "Request")


def test_matters_are_listed_by_category_and_status(program: Program, tenant: Tenant) -> None:
    for category in ("request", "escalation", "mistake_report"):
        program.post("/interventions", {**ASKED, "category": category, "principal": {"ref": "p-ada"}})
    with tenant_context(tenant):
        HumanIntervention.objects.filter(category="escalation").update(status="resolved")
    for query, expected in (
        ({}, ["mistake_report", "escalation", "request"]),
        ({"category": "request"}, ["request"]),
        ({"status": "open"}, ["mistake_report", "request"]),
        ({"status": "resolved", "category": "escalation"}, ["escalation"]),
        ({"status": "resolved", "category": "request"}, []),
    ):
        status, answer = program.get("/interventions", **query)
        assert (status, [row["category"] for row in answer["items"]]) == (200, expected)
    assert {row["principal_ref"] for row in program.get("/interventions")[1]["items"]} == {"p-ada"}
    first = program.get("/interventions", limit=2)[1]
    rest = program.get("/interventions", limit=2, cursor=first["next_cursor"])[1]
    assert [row["category"] for row in rest["items"]] == ["request"] and rest["next_cursor"] is None


def test_rows_cost_no_statements(program: Program) -> None:
    program.post("/interventions", {**ASKED, "principal": {"ref": "p-ada"}})
    with counted_queries() as few:
        program.get("/interventions")
    for _ in range(8):
        program.post("/interventions", {**ASKED, "principal": {"ref": "p-ada"}})
    with counted_queries() as many:
        assert len(program.get("/interventions")[1]["items"]) == 9
    assert many == few


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"category": "request"},
        {**ASKED, "category": "party"},
        {**ASKED, "title": ""},
        {**ASKED, "title": "a\x00"},
        {**ASKED, "title": "x" * 201},
        {**ASKED, "details": "x" * 10_001},
        {**ASKED, "channel": "fax"},
        {**ASKED, "status": "open"},
        {**ASKED, "principal": {}},
        {**ASKED, "principal": {"ref": "p-ada", "email": "ada@x.example"}},
        {**ASKED, "metadata": []},
    ],
)
def test_a_body_of_another_shape_is_400(program: Program, body: Any) -> None:
    assert program.post("/interventions", body)[0] == 400


@pytest.mark.parametrize("query", [{"category": "party"}, {"status": "lost"}, {"q": "x"}])
def test_a_query_of_another_shape_is_400(program: Program, query: dict[str, str]) -> None:
    assert program.get("/interventions", **query)[0] == 400


def test_people_and_matters_of_others(program: Program, other_tenant: Tenant) -> None:
    program.post("/interventions", ASKED)
    theirs = Program(other_tenant)
    assert theirs.get("/interventions")[1]["items"] == []
    assert theirs.post("/interventions", {**ASKED, "principal": {"ref": "p-ada"}})[0] == 404
    assert theirs.get("/interventions")[1]["items"] == []
