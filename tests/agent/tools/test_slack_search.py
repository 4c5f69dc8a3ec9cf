"""``search_slack_messages`` and ``who_knows`` in a turn: what the model reads, what the record keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.models import AgentToolCall
from apps.agent.tools import expertise, slack_search
from apps.agent.turns import Caller, SlackPlace
from apps.knowledge.models import SlackChannelReach
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, fails, says
from tests.knowledge.slack_talk import distilled, embedded, say, ts_of
from tests.plugins.community import Community

STRANGER = {"channel": "slack", "caller": Caller(slack_user_id="U0NOBODY", in_workspace=False)}


@pytest.fixture
def inside(community: Community) -> Iterator[Community]:
    with tenant_context(community.tenant):
        yield community


def used(community: Community, tool: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One turn with one call; what the model read of it."""
    community.llm.reply(
        calls((tool, arguments)),
        says("That is enough to answer this."),
        says("This is what there is to be said about it."),
    )
    ask(community, "what about it?", **more)
    [told] = [m["content"] for m in community.llm.chats[-1].body["messages"] if m["role"] == "tool"]
    result: dict[str, Any] = json.loads(told.splitlines()[1])
    return result


def test_a_message_and_a_summary_reach_the_model(inside: Community) -> None:
    say("The kiln is free on Tuesdays. " + "x" * 2000, 1)
    distilled("The kiln was mended by Mo", 5, question="Who mends the kiln?")
    embedded()
    data = used(inside, "search_slack_messages", {"query": "kiln"})["data"]
    assert data["status"] == "found"
    kinds = {result["kind"]: result for result in data["results"]}
    assert set(kinds) == {"message", "thread_summary"}
    message = kinds["message"]
    assert (message["channel"], message["author"], message["author_slack_id"]) == (
        "#general",
        "Ada Quist",
        "U0ADA",
    )
    assert len(message["text"]) == slack_search.TEXT_CHARS and message["permalink"].startswith("https://")
    assert kinds["thread_summary"]["question"] == "Who mends the kiln?"
    assert "embedding" not in json.dumps(data)


def test_twenty_five_at_most_and_never_too_much(inside: Community) -> None:
    for number in range(40):
        say(f"kiln {number} " + "ü\n" * 1500, number)
    embedded()
    data = used(inside, "search_slack_messages", {"query": "kiln"})["data"]
    assert len(data["results"]) <= 25
    assert len(json.dumps(data, ensure_ascii=False)) < 55_000
    assert "left out" in data["more"] and "TRUNCATED" not in json.dumps(data)


def test_nothing_found_says_how_far_back_the_index_reaches(inside: Community) -> None:
    SlackChannelReach(channel_id="C1", channel_name="general", oldest_ts="1772000000.000100").save()
    SlackChannelReach(channel_id="C2", channel_name="random", complete=True).save()
    result = used(inside, "search_slack_messages", {"query": "zeppelin"})
    assert tool_call_signals_empty(result)
    guidance = result["data"]["guidance"]
    assert guidance.startswith(slack_search.NOTHING_FOUND)
    assert "#general 2026-02-25; #random from its beginning" in guidance


def test_half_a_search_is_no_absence(inside: Community) -> None:
    say("Lunch is at noon.", 1)
    embedded()
    inside.llm.embedding.replies.append(fails(503))
    result = used(inside, "search_slack_messages", {"query": "zeppelin"})
    assert not tool_call_signals_empty(result)
    assert result["data"]["guidance"].startswith(slack_search.PARTLY_SEARCHED_IN_VAIN)


def test_what_is_merely_near_is_told_as_such(inside: Community) -> None:
    say("Lunch is at noon.", 1)
    embedded()
    data = used(inside, "search_slack_messages", {"query": "zeppelin"})["data"]
    assert data["results"] and data["guidance"].startswith(slack_search.ONLY_NEAR)


def test_the_record_keeps_the_flight_and_the_model_does_not_see_it(inside: Community) -> None:
    say("The kiln is free on Tuesdays.", 1)
    embedded()
    result = used(inside, "search_slack_messages", {"query": "kiln"})
    assert "flight" not in result
    flight = AgentToolCall.objects.get().flight
    assert flight["status"] == "found"
    assert flight["fused"][0]["ref"] == f"message:C0GENERAL:{ts_of(1)}"
    assert "Tuesdays" not in json.dumps(flight)


def test_a_stranger_on_slack_may_use_both(inside: Community) -> None:
    say("The kiln is free on Tuesdays.", 1)
    embedded()
    assert used(inside, "search_slack_messages", {"query": "kiln"}, **STRANGER)["success"]
    offered = inside.llm.chats_for("agent.planning")[0].tool_names
    assert set(offered) == {
        "search_knowledge_base",
        "search_slack_messages",
        "who_knows",
        "search_current_events",
        "escalate_to_admin",
    }


def test_people_come_with_their_messages(inside: Community) -> None:
    say("Glazing needs two firings in the kiln.", 1, user_id="U0MO", user_name="Mo")
    say("The kiln again, glazing at noon.", 2, user_id="U0MO", user_name="Mo")
    say("Lunch is at noon.", 3, user_id="U0LIN", user_name="Lin")
    say("I love the kiln and glazing.", 4)
    embedded()
    result = used(
        inside,
        "who_knows",
        {"topic": "kiln glazing"},
        channel="slack",
        caller=Caller(slack_user_id="U0ADA"),
        slack=SlackPlace(channel_id="D0ADA"),
    )
    data = result["data"]
    # Ada asks, so Ada is not named; Lin wrote about something else.
    assert [person["slack_user_id"] for person in data["results"]] == ["U0MO"]
    person = data["results"][0]
    assert person["messages_on_topic"] == 2
    assert all(item["permalink"].startswith("https://") for item in person["evidence"])
    assert expertise.ONLY_TALK in data["guidance"] and expertise.ASK_IN_PUBLIC in data["guidance"]


def test_nobody_is_named_for_what_is_far_away(inside: Community) -> None:
    say("Lunch is at noon.", 1, user_id="U0LIN")
    embedded()
    data = used(inside, "who_knows", {"topic": "zeppelin"})["data"]
    assert data["isEmpty"] is True and expertise.NOBODY_FOUND in data["guidance"]
    assert expertise.ASK_IN_PUBLIC not in data["guidance"]
