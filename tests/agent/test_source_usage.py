"""Which sources a turn found is booked by reference, and can be looked up from a page."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from apps.agent.kernel.types import ExecutedCall
from apps.agent.models import ReplySourceUsage
from apps.agent.source_usage import MOST_A_RUN, note
from apps.foundation.trace import tracing
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, says
from tests.knowledge.slack_talk import embedded, say, ts_of
from tests.plugins.community import Community


@pytest.fixture
def inside(community: Community) -> Iterator[Community]:
    with tenant_context(community.tenant):
        yield community


def booked() -> set[tuple[str, str]]:
    return set(ReplySourceUsage.objects.values_list("source_type", "source_ref"))


def searching(community: Community, **more: Any) -> Any:
    say("Guests may use the kiln.", 1, user_id="U0MO")
    embedded()
    community.llm.reply(
        calls(
            ("search_knowledge_base", {"query": "guests"}),
            ("search_slack_messages", {"query": "kiln"}),
            ("who_knows", {"topic": "kiln"}),
        ),
        says("That is enough to answer this."),
        says("This is what there is to be said about it."),
    )
    return ask(community, "what about guests?", **more)


def test_all_three_kinds_are_booked_under_the_run(inside: Community) -> None:
    outcome = searching(inside)
    assert ("slack_message", f"C0GENERAL:{ts_of(1)}") in booked()
    assert ("knowledge_page", "guests") in booked()
    assert {row.run_id.hex for row in ReplySourceUsage.objects.all()} == {outcome.trace_id}


def test_a_replay_books_nothing(inside: Community) -> None:
    searching(inside, replay=True)
    assert booked() == set()


def test_the_page_names_its_answers(inside: Community) -> None:
    outcome = searching(inside)
    said = _command("used_by", "guests", tenant=inside.tenant.slug)
    assert outcome.trace_id in said and "p-ada" in said
    assert "No answer on record" in _command("used_by", "absent", tenant=inside.tenant.slug)


def _command(name: str, *arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out, **options)
    return out.getvalue()


def _call(name: str, results: list[Any], *, success: bool = True) -> ExecutedCall:
    return ExecutedCall(
        id="1",
        name=name,
        arguments={},
        round=1,
        result={"success": success, "data": {"results": results}},
        success=success,
        outcome="ran",
    )


def test_two_hundred_a_run_at_most(inside: Community) -> None:
    found = [{"channel_id": "C1", "message_ts": f"17000{n:05}.000100"} for n in range(150)]
    more = [{"channel_id": "C2", "message_ts": f"17000{n:05}.000100"} for n in range(150)]
    with tracing(uuid.uuid4().hex):
        for each in (found, found, more):
            note([_call("search_slack_messages", each)])
    assert len(booked()) == MOST_A_RUN


@pytest.mark.parametrize(
    "record",
    [
        {"slug": "no-page-of-ours"},
        {"slug": "a\x00b"},
        {"slug": 7},
        {"channel_id": "C1", "message_ts": "not a time"},
        {"channel_id": ["C1"], "message_ts": None},
        {"evidence": "none"},
        {"evidence": [{"permalink": "https://evil.example/archives/C1AB/p1700000000000100"}, 3]},
        "a note",
    ],
)
def test_odd_results_book_nothing(inside: Community, record: Any) -> None:
    with tracing(uuid.uuid4().hex):
        for tool in ("search_knowledge_base", "search_slack_messages", "who_knows", "book_room"):
            note([_call(tool, [record])])
    assert booked() == set()


def test_a_failed_search_is_no_source(inside: Community) -> None:
    with tracing(uuid.uuid4().hex):
        note([_call("search_knowledge_base", [{"slug": "guests"}], success=False)])
    assert booked() == set()
