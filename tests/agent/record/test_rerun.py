"""A turn that is run again takes no action twice: results are replayed, doubts are told."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest

from apps.agent.kernel.types import KernelTool, PlannedCall
from apps.agent.models import AgentRun, AgentToolCall, ConversationLog
from apps.agent.record.journal import DONE_OTHERWISE, FAILED_OTHERWISE, OUTCOME_UNKNOWN, Journal
from apps.agent.turns import TurnOutcome
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.backend import Reply
from tests.fakes.llm import calls, says
from tests.plugins.community import Community

ROUTE = "POST /integration/tools/book_room"
BOOKED = {"success": True, "data": {"booking": "B-17", "room": "Loft"}}


@pytest.fixture
def run_id(community: Community) -> uuid.UUID:
    community.backend.answer(ROUTE, Reply(BOOKED))
    return uuid.uuid4()


def book(community: Community, run_id: uuid.UUID, *rooms: str) -> TurnOutcome:
    community.llm.reply(
        calls(*[("book_room", {"room": room}) for room in rooms]),
        says("Everything asked for has been tried now."),
        says("Here is what came of your booking."),
    )
    return ask(community, "book it", run_id=run_id)


def told(community: Community) -> str:
    """The tool results the model read last."""
    messages = community.llm.chats[-1].body["messages"]
    return "\n".join(message["content"] for message in messages if message["role"] == "tool")


def planned(run_id: uuid.UUID, arguments: dict[str, Any], *, number: int = 1) -> PlannedCall:
    tool = KernelTool(
        name="book_room", description="", parameters={}, mutates=True, label="", execute=lambda _a, _c: {}
    )
    return PlannedCall(
        id="c",
        name="book_room",
        arguments=arguments,
        round=1,
        tool=tool,
        invocation_id=uuid.uuid5(run_id, f"book_room:{number}"),
    )


def test_an_action_is_journalled_before_and_after(community: Community, run_id: uuid.UUID) -> None:
    seen: list[tuple[str, bool | None]] = []

    def look(_request: object) -> Reply:
        with tenant_context(community.tenant):
            row = AgentToolCall.objects.get(name="book_room")
            seen.append((row.state, row.success))
        return Reply(BOOKED)

    community.backend.answer(ROUTE, look)
    book(community, run_id, "Loft")
    with tenant_context(community.tenant):
        row = AgentToolCall.objects.get()
    assert seen == [("intent", None)]
    assert (row.state, row.success, row.outcome, row.result["data"]) == ("done", True, "ran", BOOKED["data"])


def test_a_full_rerun_replays_the_result(community: Community, run_id: uuid.UUID) -> None:
    first = book(community, run_id, "Loft")
    again = book(community, run_id, "Loft")
    assert len(community.backend.calls(ROUTE)) == 1
    assert "B-17" in told(community) and again.trace_id == first.trace_id == run_id.hex
    assert [(call.name, call.success) for call in again.tool_calls] == [("book_room", True)]
    with tenant_context(community.tenant):
        assert AgentRun.objects.count() == 1 and AgentToolCall.objects.count() == 1
        assert AgentToolCall.objects.get().outcome == "ran"
        assert sorted(ConversationLog.objects.values_list("dedupe_key", flat=True)) == [
            f"{run_id}:in",
            f"{run_id}:out",
        ]


def test_a_failure_is_replayed_as_well(community: Community, run_id: uuid.UUID) -> None:
    community.backend.answer(ROUTE, Reply({"success": False, "error": "That room is taken."}))
    book(community, run_id, "Loft")
    book(community, run_id, "Loft")
    assert len(community.backend.calls(ROUTE)) == 1 and "That room is taken." in told(community)


def test_after_a_crash_between_intent_and_result_nobody_knows(
    community: Community, run_id: uuid.UUID
) -> None:
    with tenant_context(community.tenant):
        Journal(run_id).decide(planned(run_id, {"room": "Loft"}))
    outcome = book(community, run_id, "Loft")
    assert community.backend.calls(ROUTE) == [] and OUTCOME_UNKNOWN in told(community)
    assert outcome.success is False
    with tenant_context(community.tenant):
        assert AgentToolCall.objects.get().state == "intent"


def test_an_action_that_went_unanswered_stays_in_doubt(community: Community, run_id: uuid.UUID) -> None:
    community.backend.answer(ROUTE, Reply(b"<html>", headers={"content-type": "text/html"}))
    book(community, run_id, "Loft")
    community.backend.answer(ROUTE, Reply(BOOKED))
    book(community, run_id, "Loft")
    assert len(community.backend.calls(ROUTE)) == 1 and OUTCOME_UNKNOWN in told(community)


def test_the_order_of_the_calls_does_not_matter(community: Community, run_id: uuid.UUID) -> None:
    community.backend.answer(
        ROUTE,
        lambda request: Reply({"success": True, "data": {"room": request.json["params"]["room"]}}),
    )
    book(community, run_id, "Loft", "Attic")
    book(community, run_id, "Attic", "Loft")
    attic, loft = [m["content"] for m in community.llm.chats[-1].body["messages"] if m["role"] == "tool"]
    assert len(community.backend.calls(ROUTE)) == 2 and "Attic" in attic and "Loft" in loft


def test_other_arguments_do_not_run_again_and_say_so(community: Community, run_id: uuid.UUID) -> None:
    book(community, run_id, "Loft")
    again = book(community, run_id, "Attic")
    assert len(community.backend.calls(ROUTE)) == 1
    assert all(words in told(community) for words in (DONE_OTHERWISE, "Loft", "B-17"))
    assert [(call.name, call.success) for call in again.tool_calls] == [("book_room", False)]
    assert not again.success
    with tenant_context(community.tenant):
        row = AgentToolCall.objects.get()
        assert (row.outcome, row.success, row.arguments) == ("ran", True, {"room": "Loft"})


def test_what_failed_with_other_arguments_is_not_told_as_done(
    community: Community, run_id: uuid.UUID
) -> None:
    community.backend.answer(ROUTE, Reply({"success": False, "error": "That room is taken."}))
    book(community, run_id, "Loft")
    book(community, run_id, "Attic")
    assert all(words in told(community) for words in (FAILED_OTHERWISE, "Loft", "taken"))


def test_asked_for_twice_in_one_run_it_is_done_once(community: Community, run_id: uuid.UUID) -> None:
    for _ in range(2):
        book(community, run_id, "Loft", "Loft")
    assert len(community.backend.calls(ROUTE)) == 1
    with tenant_context(community.tenant):
        rows = AgentToolCall.objects.order_by("position").values_list("outcome", "mutates", "state")
        assert list(rows) == [("ran", True, "done"), ("repeated", False, "recorded")]


def test_of_two_runs_at_once_only_one_acts(community: Community, run_id: uuid.UUID) -> None:
    together = threading.Barrier(2)
    acted: list[bool] = []

    def decide() -> None:
        from django.db import connection

        from apps.agent.kernel.hooks import Proceed

        with tenant_context(community.tenant):
            journal = Journal(run_id, rerun=True)
            together.wait(30)
            acted.append(isinstance(journal.decide(planned(run_id, {"room": "Loft"})), Proceed))
        connection.close()

    threads = [threading.Thread(target=decide) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(acted) == [False, True]


def test_reading_tools_are_simply_used_again(community: Community, run_id: uuid.UUID) -> None:
    for _ in range(2):
        community.llm.reply(
            calls(("search_members", {"query": "pricing"})),
            says("That is all there is to look up here."),
            says("Ines Prado knows about pricing."),
        )
        ask(community, "who?", run_id=run_id)
    assert len(community.backend.calls("POST /integration/tools/search_members")) == 2
    with tenant_context(community.tenant):
        assert AgentToolCall.objects.count() == 1


def test_a_rerun_does_not_take_its_own_message_for_history(community: Community, run_id: uuid.UUID) -> None:
    for _ in range(2):
        community.llm.reply(says("Good day to you, how can I help?"))
        ask(community, "a single question", thread_key="t", run_id=run_id)
    asked = [m for m in community.llm.chats[-1].body["messages"] if m["role"] == "user"]
    assert [message["content"] for message in asked] == ["a single question"]
