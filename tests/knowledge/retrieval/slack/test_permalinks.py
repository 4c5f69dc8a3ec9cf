"""Links to messages in a question: read, resolved live, and first of all."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.clock import now
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.slack import search_messages
from apps.knowledge.retrieval.slack.permalinks import (
    Permalink,
    permalink_of,
    permalinks_in,
    without_permalinks,
)
from tests.fakes.slack import FakeSlack, channel
from tests.knowledge.slack_index.conftest import GENERAL, at
from tests.knowledge.slack_talk import embedded, say

pytestmark = pytest.mark.django_db


def link(number: int, *, channel_id: str = GENERAL, query: str = "") -> str:
    return f"https://harbour.slack.com/archives/{channel_id}/p{at(number).replace('.', '')}{query}"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (link(1), Permalink(GENERAL, at(1))),
        (f"<{link(1)}|this one>", Permalink(GENERAL, at(1))),
        (link(2, query=f"?thread_ts={at(1)}&cid=C0GEN"), Permalink(GENERAL, at(2), at(1))),
        (f"<{link(2)}?thread_ts={at(1)}&amp;cid=C0GEN>", Permalink(GENERAL, at(2), at(1))),
    ],
)
def test_a_link_is_read(text: str, read: Permalink) -> None:
    assert permalinks_in(f"what about {text} then?") == [read]
    assert without_permalinks(f"what about {text} then?") == "what about then?"


@pytest.mark.parametrize(
    "address",
    [
        "https://slack.com.evil.example/archives/C0GEN/p1790000000000100",
        "https://evil.example/?https://x.slack.co/archives/C0GEN/p1790000000000100",
        "https://harbour.slack.com/archives/C0GEN/p17900000000001",
        "https://harbour.slack.com/team/U0ADA",
        "",
    ],
)
def test_other_addresses_are_none(address: str) -> None:
    assert permalink_of(address) is None and permalinks_in(address) == []


def test_the_linked_message_comes_first_as_it_is_now(slack: FakeSlack, llm: Any) -> None:
    say("The old words about a kiln", 1, channel_id=GENERAL, message_ts=at(1))
    say("kiln kiln kiln", 2)
    embedded()
    slack.post(GENERAL, "U0ADA", "The new words, <@U0MO> &amp; co", ts=at(1))
    outcome = search_messages(f"what about the kiln in {link(1)}", rerank=False)
    first = outcome.matches[0]
    assert (first.text, first.user_name, first.relevance_score) == (
        "The new words, @Mo & co",
        "Ada",
        1_000_000,
    )
    assert [match.ref for match in outcome.matches].count(first.ref) == 1 and len(outcome.matches) == 2
    assert outcome.flight.as_json()["lanes"]["permalink"][0]["ref"] == first.ref


def test_a_link_alone_is_a_question(slack: FakeSlack, llm: Any) -> None:
    slack.post(GENERAL, "U0ADA", "Never indexed", ts=at(1))
    outcome = search_messages(link(1), rerank=False)
    assert outcome.status == "found" and [match.text for match in outcome.matches] == ["Never indexed"]


def test_what_is_not_public_stays_closed(slack: FakeSlack, llm: Any) -> None:
    slack.channels["C0SECRET"] = channel("secret", is_private=True, is_group=True)
    slack.post("C0SECRET", "U0ADA", "Between us", ts=at(1))
    slack.post("D0ADA", "U0ADA", "Between us", ts=at(1))
    for closed in ("C0SECRET", "D0ADA"):
        assert search_messages(link(1, channel_id=closed), rerank=False).status == "empty"
    assert slack.called("conversations.history") == []


def test_a_withdrawn_message_is_not_fetched_either(slack: FakeSlack, llm: Any) -> None:
    say("Taken back", 1, channel_id=GENERAL, message_ts=at(1))
    ProcessedSlackMessage.objects.update(withdrawn_at=now())
    slack.post(GENERAL, "U0ADA", "Taken back", ts=at(1))
    assert search_messages(link(1), rerank=False).status == "empty"


def test_when_slack_does_not_answer_the_index_does(slack: FakeSlack, llm: Any) -> None:
    say("As it was indexed", 1, channel_id=GENERAL, message_ts=at(1))
    slack.object_to("conversations.info")
    outcome = search_messages(link(1), rerank=False)
    assert (outcome.status, outcome.degraded) == ("partial", ("permalink",))
    assert [match.text for match in outcome.matches] == ["As it was indexed"]


def test_a_reply_is_found_in_its_thread(slack: FakeSlack, llm: Any) -> None:
    slack.post(GENERAL, "U0ADA", "The question", ts=at(1))
    slack.post(GENERAL, "U0MO", "The answer", ts=at(2), thread_ts=at(1))
    say("The question", 1, channel_id=GENERAL, message_ts=at(1))
    outcome = search_messages(link(2, query=f"?thread_ts={at(1)}&cid={GENERAL}"), rerank=False)
    assert [(match.text, match.parent_text) for match in outcome.matches] == [("The answer", "The question")]
