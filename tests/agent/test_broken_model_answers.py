"""Answers that only look like ones, met by a whole turn (LLM-01, LLM-03)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agent.asking import ask
from tests.fakes.llm import Reply, calls, hidden_error, html, no_choices, says, without_usage
from tests.plugins.community import Community

HALF = says("The answer is", finish_reason="error")
GOOD = "Guests are welcome until ten in the evening."


@pytest.mark.parametrize("bad", [hidden_error(), no_choices(), HALF, html()])
def test_a_200_that_is_no_answer_is_asked_again(community: Community, bad: Reply) -> None:
    community.llm.reply(bad, without_usage(says(GOOD)))
    outcome = ask(community, "may guests come?")
    assert (outcome.response, outcome.success) == (GOOD, True)
    assert len(community.llm.chats) == 2


def test_three_of_them_end_in_an_honest_sentence(community: Community) -> None:
    community.llm.reply(hidden_error(), no_choices(), HALF)
    outcome = ask(community, "may guests come?")
    assert not outcome.success
    assert "try again" in outcome.response and "The answer is" not in outcome.response
    assert len(community.llm.chats) == 3


def test_broken_arguments_run_nothing_and_break_no_later_round(community: Community) -> None:
    """The scripted model refuses, as providers do, a transcript whose arguments are no JSON object."""
    community.llm.reply(
        calls(
            ("book_room", '{"room":"Lof'),
            ("book_room", "null"),
            ("book_room", '{"room": 7}'),
            ("search_members", "[1]"),
            ("search_current_events", '{"recency": "decade"}'),
            ("search_members", '{"query": "pricing"}'),
        ),
        says("Only the directory could be read."),
        says("I found Ines Prado, but nothing was booked."),
    )
    outcome = ask(community, "book the Loft and find somebody for pricing")
    assert community.backend.calls("POST /integration/tools/book_room") == []
    assert len(community.backend.calls("POST /integration/tools/search_members")) == 1
    assert [call.success for call in outcome.tool_calls] == [False, False, False, False, False, True]
    assert not outcome.success and "nothing was booked" in outcome.response
    answers = [message for message in community.llm.chats[1].body["messages"] if message["role"] == "tool"]
    assert len(answers) == 6
    assert all(isinstance(_arguments(call), dict) for call in _echoed(community))


def _echoed(community: Community) -> list[dict[str, Any]]:
    messages = community.llm.chats[-1].body["messages"]
    return [call for message in messages for call in message.get("tool_calls") or []]


def _arguments(call: dict[str, Any]) -> Any:
    return json.loads(call["function"]["arguments"])
