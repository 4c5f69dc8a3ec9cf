"""The log and its numbers, over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.agent import conversation_lists
from apps.agent.models import ConversationLog
from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.principals import PersonFacts
from tests.api.v1.calling import Program, counted_queries

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def program(tenant: Tenant) -> Program:
    return Program(tenant)


def person(tenant: Tenant, ref: str, **facts: Any) -> Principal:
    with tenant_context(tenant):
        return principals.upsert(PersonFacts(ref=ref, tier="member", **facts))


def said(tenant: Tenant, text: str, *, number: int = 0, **given: Any) -> ConversationLog:
    with tenant_context(tenant):
        row: ConversationLog = ConversationLog.objects.create(
            **{
                "dedupe_key": f"{text}-{number}-{given.get('direction', 'inbound')}",
                "exchange_key": f"x-{number}",
                "channel": "web",
                "direction": "inbound",
                "message_text": text,
                "message_at": NOON + timedelta(minutes=number),
                **given,
            }
        )
        return row


def texts(answer: Any) -> list[str]:
    return [each["text"] for each in answer["items"]]


def test_messages_with_their_people_counts_and_labels(program: Program, tenant: Tenant) -> None:
    ada = person(tenant, "p-ada", display_name="Ada", slack_user_id="U0ADA")
    said(tenant, "Ask <@U0ADA> or <@U0NOBODY|bo>", channel="slack", metadata={"trace_id": "abc"})
    said(tenant, "From Ada", number=1, principal=ada, channel="email", direction="outbound")
    status, answer = program.get("/conversations")
    assert (status, texts(answer)) == (200, ["From Ada", "Ask <@U0ADA> or <@U0NOBODY|bo>"])
    assert answer["counts"] == {"slack": 1, "email": 1, "api": 0, "web": 0}
    assert answer["mention_labels"] == {"U0ADA": "Ada"}
    assert answer["items"][0]["principal"] == {"ref": "p-ada", "display_name": "Ada"}
    assert (answer["items"][1]["principal"], answer["items"][1]["trace_id"]) == (None, "abc")


def test_each_filter(program: Program, tenant: Tenant) -> None:
    ada = person(tenant, "p-ada")
    said(tenant, "one", principal=ada)
    said(tenant, "two", number=1, channel="slack")
    said(tenant, "three", message_at=NOON + timedelta(days=1))
    for query, expected in (
        ({"principal_ref": "p-ada"}, ["one"]),
        ({"channel": "slack"}, ["two"]),
        ({"q": "TWO"}, ["two"]),
        ({"from_": "2026-03-11"}, ["three"]),
        ({"to": "2026-03-10"}, ["two", "one"]),
        ({"from_": "2026-03-10", "to": "2026-03-10", "channel": "web"}, ["one"]),
        ({"from_": "2026-03-12", "to": "2026-03-01"}, []),
        ({"from_": "0001-01-01", "to": "9999-12-31"}, ["three", "two", "one"]),
        ({"from_": "9999-12-31"}, []),
        ({"to": "0001-01-01"}, []),
    ):
        status, answer = program.get("/conversations", **query)
        assert (status, texts(answer)) == (200, expected), query
    # Channels are counted as if none had been asked for.
    assert program.get("/conversations", channel="slack")[1]["counts"]["web"] == 2


def test_a_day_is_the_communitys(program: Program, tenant: Tenant) -> None:
    """Lisbon is an hour ahead of UTC in summer."""
    said(tenant, "late", message_at=datetime(2026, 7, 1, 23, 30, tzinfo=UTC))
    assert texts(program.get("/conversations", from_="2026-07-02", to="2026-07-02")[1]) == ["late"]
    _, answer = program.get("/conversations/analytics")
    assert [group["start"] for group in answer["groups"]] == ["2026-07-02"]
    assert answer["timezone"] == "Europe/Lisbon"


@pytest.mark.parametrize(("q", "found"), [("100%", 1), ("a_b", 1), ("%", 1), ("_", 1), ("\\", 1), ("'", 1)])
def test_signs_of_like_mean_themselves(program: Program, tenant: Tenant, q: str, found: int) -> None:
    for number, text in enumerate(["100% sure", "a_b", "axb 1000", "back\\slash", "it's"]):
        said(tenant, text, number=number)
    assert len(program.get("/conversations", q=q)[1]["items"]) == found


def test_the_subject_is_searched_too(program: Program, tenant: Tenant) -> None:
    said(tenant, "words", subject="Parking", channel="email")
    assert texts(program.get("/conversations", q="parking")[1]) == ["words"]


def test_pages_show_everything_once_in_one_order(program: Program, tenant: Tenant) -> None:
    for number in range(7):
        # All but the last at one moment.
        said(tenant, f"m{number}", number=number, message_at=NOON + timedelta(hours=number // 6))
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        _, answer = program.get("/conversations", limit=3, **cursor)
        seen += texts(answer)
        assert answer["counts"]["web"] == 7
        if answer["next_cursor"] is None:
            break
        cursor = {"cursor": answer["next_cursor"]}
    assert len(seen) == 7 and set(seen) == {f"m{number}" for number in range(7)} and seen[0] == "m6"


def test_a_search_looks_through_so_many_at_once_and_says_where_to_go_on(
    program: Program, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_lists, "SEARCHED_AT_ONCE", 4)
    for number in range(9):
        said(tenant, "needle" if number in (0, 7) else "hay", number=number)
    _, first = program.get("/conversations", q="needle")
    assert len(first["items"]) == 1 and first["next_cursor"] and first["counts"]["web"] == 1
    _, second = program.get("/conversations", q="needle", cursor=first["next_cursor"])
    assert second["items"] == [] and second["next_cursor"]
    _, third = program.get("/conversations", q="needle", cursor=second["next_cursor"])
    assert len(third["items"]) == 1 and third["next_cursor"] is None


def test_rows_cost_no_statements(program: Program, tenant: Tenant) -> None:
    def fill(start: int, number: int) -> None:
        for each in range(start, start + number):
            ada = person(tenant, f"p-{each}", slack_user_id=f"U{each}", display_name="A")
            said(tenant, f"<@U{each}> x", number=each, principal=ada)

    fill(0, 2)
    for query in ({}, {"q": "x"}):
        with counted_queries() as few:
            program.get("/conversations", **query)
        fill(few[0] * 100, 20)
        with counted_queries() as many:
            program.get("/conversations", **query)
        assert many == few


@pytest.mark.parametrize(
    "query",
    [
        {"channel": "fax"},
        {"q": ""},
        {"q": "x" * 201},
        {"q": "a\x00"},
        {"from_": "0"},
        {"from_": "2026-02-30"},
        {"to": "20260101"},
        {"to": "2026-01-01T00:00:00Z"},
        {"limit": 0},
        {"limit": 101},
        {"first": "2026-01-01"},
        {"principal_ref": ""},
    ],
)
def test_a_query_of_another_shape_is_400(program: Program, query: dict[str, Any]) -> None:
    assert program.get("/conversations", **query)[0] == 400


def test_people_nobody_knows_and_other_communities(
    program: Program, tenant: Tenant, other_tenant: Tenant
) -> None:
    theirs = person(other_tenant, "p-theirs", slack_user_id="U0THEIRS", display_name="Theirs")
    said(other_tenant, "secret", principal=theirs)
    said(tenant, "about <@U0THEIRS>")
    for path in ("/conversations", "/conversations/analytics"):
        assert program.get(path, principal_ref="p-theirs")[0] == 404
    _, answer = program.get("/conversations")
    assert (texts(answer), answer["mention_labels"]) == (["about <@U0THEIRS>"], {})
    assert program.get("/conversations", q="secret")[1]["items"] == []
    assert program.get("/conversations/analytics")[1]["totals"]["messages"] == 1


def test_numbers_by_day_week_and_month(program: Program, tenant: Tenant) -> None:
    ada = person(tenant, "p-ada")
    # A Sunday, the Monday after it, and a day of the next month.
    for number, day in enumerate([datetime(2026, 3, 8), datetime(2026, 3, 9), datetime(2026, 4, 1)]):
        at = day.replace(hour=12, tzinfo=UTC)
        said(tenant, "q", number=number, message_at=at, principal=ada, channel="slack")
        said(tenant, "a", number=number, message_at=at, direction="outbound", channel="slack")
    said(tenant, "stranger", number=9, message_at=datetime(2026, 4, 1, 13, tzinfo=UTC))
    for group_by, starts in (
        ("day", ["2026-03-08", "2026-03-09", "2026-04-01"]),
        ("week", ["2026-03-02", "2026-03-09", "2026-03-30"]),
        ("month", ["2026-03-01", "2026-04-01"]),
    ):
        status, answer = program.get("/conversations/analytics", group_by=group_by)
        assert (status, [group["start"] for group in answer["groups"]]) == (200, starts)
    assert answer["totals"] == {
        "messages": 7,
        "inbound": 4,
        "outbound": 3,
        "exchanges": 4,
        "people": 1,
        "by_channel": {"slack": 6, "email": 0, "api": 0, "web": 1},
    }
    assert answer["groups"][0]["messages"] == 4
    _, march = program.get("/conversations/analytics", from_="2026-03-09", to="2026-03-31")
    assert (march["totals"]["messages"], len(march["groups"])) == (2, 1)
    _, hers = program.get("/conversations/analytics", principal_ref="p-ada")
    assert hers["totals"]["messages"] == 3
    _, none = program.get("/conversations/analytics", from_="2030-01-01")
    assert (none["totals"]["messages"], none["groups"]) == (0, [])


@pytest.mark.parametrize("query", [{"group_by": "year"}, {"from_": "1"}, {"limit": 5}, {"to": "9999-13-01"}])
def test_numbers_of_another_shape_are_400(program: Program, query: dict[str, Any]) -> None:
    assert program.get("/conversations/analytics", **query)[0] == 400


@pytest.mark.parametrize(
    "cursor", ["", "x", "1_2", "17" * 9 + "_" + "0" * 32, "1_" + "G" * 32, "1_" + "0" * 33]
)
def test_a_cursor_of_another_form_is_400(program: Program, cursor: str) -> None:
    assert program.get("/conversations", cursor=cursor)[0] == 400


@pytest.mark.parametrize("number", ["0", "-9999999999999999", "9999999999999999", "-0"])
def test_every_cursor_of_the_form_is_a_place(program: Program, tenant: Tenant, number: str) -> None:
    said(tenant, "one")
    status, answer = program.get("/conversations", cursor=f"{number}_{'0' * 32}")
    assert (status, texts(answer)) == (200, ["one"] if number.startswith("999") else [])
