"""Whom answers named, over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.agent.models import ConversationLog, ReplyMention
from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.principals import PersonFacts
from tests.api.v1.calling import Program, counted_queries

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def program(tenant: Tenant) -> Program:
    """Ada is named three times, Mo twice, Lin once."""
    for ref, tier, times in (("p-ada", "member", 3), ("p-mo", "mentor", 2), ("p-lin", "partner", 1)):
        named(tenant, ref, tier, times)
    return Program(tenant)


def named(tenant: Tenant, ref: str, tier: str, times: int) -> Principal:
    with tenant_context(tenant):
        slack_id = f"U0{ref[2:].upper()}"
        row = principals.upsert(
            PersonFacts(ref=ref, tier=tier, display_name=ref[2:].title(), slack_user_id=slack_id)
        )
        for number in range(times):
            at = NOON + timedelta(days=number)
            said = ConversationLog.objects.create(
                dedupe_key=f"{ref}-{number}",
                exchange_key=f"x-{ref}-{number}",
                thread_key="t",
                channel="slack" if number else "web",
                direction="outbound",
                message_text=f"Ask {ref[2:].title()}. " + "x" * 500,
                message_at=at,
            )
            ReplyMention.objects.create(
                principal=row,
                conversation=said,
                channel=said.channel,
                matched_via="name" if number else "slack_id",
                content_sourced=number == 1,
                mentioned_at=at,
            )
        return row


def ranks(answer: Any) -> list[tuple[int, str, int]]:
    return [(each["rank"], each["principal_ref"], each["mentions"]) for each in answer["items"]]


def test_ranks_by_tier_days_and_number(program: Program) -> None:
    everybody = [(1, "p-ada", 3), (2, "p-mo", 2), (3, "p-lin", 1)]
    for query, expected in (
        ({}, everybody),
        ({"tier": "all"}, everybody),
        ({"tier": "member"}, [(1, "p-ada", 3)]),
        ({"tier": "mentor"}, [(1, "p-mo", 2)]),
        ({"limit": 1}, everybody[:1]),
        ({"from_": "2026-03-12"}, [(1, "p-ada", 1)]),
        ({"to": "2026-03-09"}, []),
    ):
        status, answer = program.get("/mentions/leaderboard", **query)
        assert (status, ranks(answer)) == (200, expected), query
    assert program.get("/mentions/leaderboard")[1]["items"][0]["content_sourced"] == 1


def test_the_numbers_of_one_person(program: Program) -> None:
    status, answer = program.get("/mentions/counts", slack_user_id="U0ADA")
    assert status == 200
    assert (answer["principal_ref"], answer["total"], answer["content_sourced"]) == ("p-ada", 3, 1)
    assert answer["by_channel"] == {"slack": 2, "email": 0, "api": 0, "web": 1}
    assert answer["by_matched_via"] == {"slack_id": 1, "name": 2}
    assert answer["first_mentioned_at"].startswith("2026-03-10")
    _, none = program.get("/mentions/counts", ref="p-ada", to="2026-03-01")
    assert (none["total"], none["last_mentioned_at"]) == (0, None)


def test_the_answers_that_name_somebody(program: Program) -> None:
    status, first = program.get("/mentions/details", ref="p-ada", limit=2)
    assert (status, [row["exchange_key"] for row in first["items"]]) == (200, ["x-p-ada-2", "x-p-ada-1"])
    assert first["items"][0]["excerpt"].startswith("Ask Ada.") and len(first["items"][0]["excerpt"]) == 280
    _, rest = program.get("/mentions/details", ref="p-ada", limit=2, cursor=first["next_cursor"])
    assert [row["matched_via"] for row in rest["items"]] == ["slack_id"] and rest["next_cursor"] is None
    _, some = program.get("/mentions/details", ref="p-ada", from_="2026-03-11", to="2026-03-11")
    assert [row["content_sourced"] for row in some["items"]] == [True]


def test_rows_cost_no_statements(program: Program, tenant: Tenant) -> None:
    paths: dict[str, dict[str, str]] = {"/mentions/leaderboard": {}, "/mentions/details": {"ref": "p-ada"}}
    for path, query in paths.items():
        with counted_queries() as few:
            program.get(path, **query)
        named(tenant, f"p-{len(path)}", "member", 4)
        with counted_queries() as many:
            program.get(path, **query)
        assert many == few


@pytest.mark.parametrize("path", ["/mentions/counts", "/mentions/details"])
def test_a_person_is_named_exactly_once_and_known(program: Program, other_tenant: Tenant, path: str) -> None:
    for query in ({}, {"ref": "p-ada", "slack_user_id": "U0ADA"}, {"principal_ref": "p-ada"}):
        assert program.get(path, **query)[0] == 400
    assert program.get(path, ref="p-nobody")[0] == 404
    assert Program(other_tenant).get(path, ref="p-ada")[0] == 404


def test_other_communities_rank_their_own(program: Program, other_tenant: Tenant) -> None:
    theirs = Program(other_tenant)
    assert theirs.get("/mentions/leaderboard")[1]["items"] == []
    named(other_tenant, "p-ada", "member", 1)
    assert ranks(theirs.get("/mentions/leaderboard")[1]) == [(1, "p-ada", 1)]
    assert ranks(program.get("/mentions/leaderboard")[1])[0] == (1, "p-ada", 3)


@pytest.mark.parametrize("query", [{"tier": "partner"}, {"limit": 0}, {"cursor": "x"}, {"from_": "now"}])
def test_a_query_of_another_shape_is_400(program: Program, query: dict[str, Any]) -> None:
    assert program.get("/mentions/leaderboard", **query)[0] == 400
