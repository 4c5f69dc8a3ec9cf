"""``search_current_events``: what it asks, what the model reads, and who is offered it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from apps.agent.tools import current_events
from apps.agent.turns import Caller
from tests.agent.asking import ask
from tests.fakes.llm import Reply, calls, fails, says
from tests.plugins.community import Community

PURPOSE = "web-research"
STORM = "https://weather.example/storm"


def found(text: str = "A storm is due on Friday [1].", **more: Any) -> Reply:
    reply = says(text)
    more = {"citations": [STORM, "https://sea.example/tides"]} | more
    return replace(reply, payload={**(reply.payload or {}), **more})


def search(community: Community, arguments: dict[str, Any], reply: Reply, *, message: str = "storm?") -> Any:
    """One turn with one search; what the model read of it."""
    community.llm.reply(
        calls(("search_current_events", arguments)),
        says("That is enough to answer this."),
        purpose="agent.planning",
    )
    community.llm.reply(says(f"A storm is due on Friday, says {STORM} today."), purpose="agent.answer")
    community.llm.answer_with(lambda _request, _headers: reply, purpose=PURPOSE)
    outcome = ask(community, message)
    return outcome, community.llm.chats_for("agent.answer")[-1].text


def test_the_report_and_its_pages_reach_the_model(community: Community) -> None:
    outcome, read = search(community, {"query": "storms near the harbour", "recency": "week"}, found())
    [request] = community.llm.chats_for(PURPOSE)
    assert request.body["messages"][-1]["content"] == "storms near the harbour"
    assert request.body["search_recency_filter"] == "week"
    assert "A storm is due on Friday [1]." in read and STORM in read
    assert outcome.success
    assert [(source.kind, source.ref) for source in outcome.sources] == [("web", STORM)]


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "  "}, {"recency": "day"}])
def test_the_message_is_the_question_when_none_is_given(
    community: Community, arguments: dict[str, Any]
) -> None:
    search(community, arguments, found(), message="Is there a storm coming?")
    assert community.llm.chats_for(PURPOSE)[0].body["messages"][-1]["content"] == "Is there a storm coming?"


@pytest.mark.parametrize(
    ("reply", "sentences"),
    [
        (fails(402), current_events.NOT_AVAILABLE),
        (fails(403), current_events.NOT_AVAILABLE),
    ],
)
def test_a_failure_is_told_in_sentences(community: Community, reply: Reply, sentences: str) -> None:
    outcome, read = search(community, {"query": "storm"}, reply)
    assert sentences in read and re.search(r"\b402\b", read) is None
    assert not outcome.success
    assert len(community.llm.chats_for(PURPOSE)) == 1


def test_a_search_that_keeps_failing_says_how(community: Community) -> None:
    """Both at once, since the third attempt waits as long as the retry table says."""
    community.llm.reply(
        calls(("search_current_events", {"query": "slow"}), ("search_current_events", {"query": "down"})),
        says("That is enough to answer this."),
        says("Neither of the two searches brought anything."),
    )
    community.llm.answer_with(
        lambda request, _headers: fails(408 if request["messages"][-1]["content"] == "slow" else 503),
        purpose=PURPOSE,
    )
    ask(community, "what is new?")
    read = community.llm.chats[-1].text
    assert current_events.TOO_LATE in read and current_events.SEARCH_FAILED in read
    assert len(community.llm.chats_for(PURPOSE)) == 6


@pytest.mark.parametrize(
    "sentences", [current_events.NOT_AVAILABLE, current_events.TOO_LATE, current_events.SEARCH_FAILED]
)
def test_each_failure_says_what_happened_and_what_to_do(sentences: str) -> None:
    assert 2 <= sentences.count(".") <= 3


def test_a_report_nobody_vouches_for_says_so(community: Community) -> None:
    outcome, read = search(community, {"query": "storm"}, found(citations=[]))
    assert current_events.UNSOURCED in read
    assert outcome.sources == ()


def test_a_cut_report_says_so(community: Community) -> None:
    reply = found()
    assert reply.payload is not None
    reply.payload["choices"][0]["finish_reason"] = "length"
    assert current_events.INCOMPLETE in search(community, {"query": "storm"}, reply)[1]


def test_members_and_the_unresolved_have_it_and_the_public_does_not(community: Community) -> None:
    offered = {}
    for email in (
        "ada@harbour.example",
        "mo@harbour.example",
        "lin@elsewhere.example",
        "x@nowhere.example",
        None,
    ):
        community.llm.reply(says("Good day to you, how can I help?"))
        ask(community, caller=Caller(email=email))
        offered[email] = "search_current_events" in community.llm.chats[-1].tool_names
    assert offered == {
        "ada@harbour.example": True,
        "mo@harbour.example": True,
        "lin@elsewhere.example": False,
        "x@nowhere.example": False,
        None: True,
    }


def test_it_is_not_offered_where_no_model_can_search_the_web(community: Community, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_offline_model": True})
    community.llm.reply(says("Good day to you, how can I help?"))
    ask(community)
    assert "search_current_events" not in community.llm.chats[-1].tool_names
