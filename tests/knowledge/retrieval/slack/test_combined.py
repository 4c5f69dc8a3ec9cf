"""Messages and distilled threads in one list: weights, caps, parents, what is never shown."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.clock import now
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.slack import search_messages
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.llm import fails
from tests.knowledge.slack_talk import distilled, embedded, say, ts_of

pytestmark = pytest.mark.django_db


def _refs(question: str, **more: Any) -> list[str]:
    return [match.ref for match in search_messages(question, rerank=False, **more).matches]


def test_a_message_is_found_by_its_words(in_tenant: Tenant, llm: Any) -> None:
    say("The kiln is free on Tuesdays.", 1)
    say("Lunch is at noon.", 2)
    embedded()
    outcome = search_messages("kiln", rerank=False)
    first = outcome.matches[0]
    assert outcome.status == "found" and first.kind == "message"
    assert (first.text, first.user_name, first.source_ref) == (
        "The kiln is free on Tuesdays.",
        "Ada Quist",
        f"C0GENERAL:{ts_of(1)}",
    )


def test_what_was_distilled_has_a_kind_of_its_own(in_tenant: Tenant, llm: Any) -> None:
    distilled("The kiln was repaired", 1)
    distilled("Ada on glazing the kiln", 2, kind="burst", burst_ts=ts_of(3), author_user_id="U0ADA")
    embedded()
    kinds = {match.ref: match.kind for match in search_messages("kiln", rerank=False).matches}
    assert kinds == {
        f"thread:C0GENERAL:{ts_of(1)}": "thread_summary",
        f"burst:C0GENERAL:{ts_of(3)}": "author_burst",
    }


def test_two_a_thread_whatever_their_kind(in_tenant: Tenant, llm: Any) -> None:
    say("kiln question", 1)
    for number in range(2, 6):
        say(f"kiln answer {number}", number, thread_ts=ts_of(1))
    distilled("kiln thread", 1)
    say("kiln elsewhere", 9)
    embedded()
    outcome = search_messages("kiln", rerank=False)
    threads = [match.thread_ts or match.message_ts for match in outcome.matches]
    assert threads.count(ts_of(1)) == 2 and threads.count(ts_of(9)) == 1
    assert outcome.dropped == 4
    assert [cut.why for cut in outcome.flight.cut] == ["source_cap"] * 4


def test_replies_know_what_they_answer(in_tenant: Tenant, llm: Any) -> None:
    say("Who can lend me a drill? " + "x" * 600, 1)
    say("I have a cordless one", 2, thread_ts=ts_of(1))
    embedded()
    matches = {match.ref: match for match in search_messages("cordless", rerank=False).matches}
    parent = matches[f"message:C0GENERAL:{ts_of(2)}"].parent_text
    assert parent is not None and parent.startswith("Who can lend me a drill?") and len(parent) == 500
    assert matches[f"message:C0GENERAL:{ts_of(1)}"].parent_text is None


def test_only_the_first_ten_replies_have_parents(in_tenant: Tenant, llm: Any) -> None:
    for number in range(12):
        say(f"question {number}", number)
        say(f"drill number {number}", 100 + number, thread_ts=ts_of(number))
    embedded()
    replies = [match for match in search_messages("drill", rerank=False).matches if match.is_reply]
    assert [match.parent_text is not None for match in replies] == [True] * 10 + [False] * 2


def test_a_withdrawn_message_is_nowhere(in_tenant: Tenant, llm: Any) -> None:
    say("the secret kiln", 1)
    say("is warm", 2, thread_ts=ts_of(1))
    embedded()
    ProcessedSlackMessage.objects.filter(message_ts=ts_of(1)).update(withdrawn_at=now())
    outcome = search_messages("secret kiln warm", rerank=False)
    assert [match.ref for match in outcome.matches] == [f"message:C0GENERAL:{ts_of(2)}"]
    assert outcome.matches[0].parent_text is None
    assert ts_of(1) not in str(outcome.flight.as_json())


def test_newer_messages_are_lifted(in_tenant: Tenant, llm: Any) -> None:
    say("kiln hours", 1)
    say("kiln hours", 2)
    embedded()
    outcome = search_messages("kiln hours", rerank=False)
    assert [match.message_ts for match in outcome.matches] == [ts_of(2), ts_of(1)]
    lanes = outcome.flight.lanes
    assert next(each.ref for each in lanes["recency"] or ()).endswith(ts_of(2))


def test_another_communitys_talk_stays_there(in_tenant: Tenant, other_tenant: Tenant, llm: Any) -> None:
    with tenant_context(other_tenant):
        say("their kiln", 1)
        distilled("their kiln", 1)
        embedded()
    say("our kiln", 2)
    embedded()
    assert _refs("kiln") == [f"message:C0GENERAL:{ts_of(2)}"]


def test_the_flight_says_where_each_lane_had_it(in_tenant: Tenant, llm: Any) -> None:
    say("kiln hours", 1)
    distilled("kiln hours", 1)
    embedded()
    flight = search_messages("kiln hours", rerank=False).flight.as_json()
    assert set(flight["lanes"]) == {"text", "vector", "recency", "artifact_text", "artifact_vector"}
    assert [entry["ref"] for entry in flight["fused"]] == [
        f"message:C0GENERAL:{ts_of(1)}",
        f"thread:C0GENERAL:{ts_of(1)}",
    ]
    assert "kiln" not in str(flight)


def test_without_an_embedder_words_still_find(in_tenant: Tenant, llm: Any) -> None:
    say("kiln hours", 1)
    embedded()
    llm.embedding.replies.append(fails(503))
    outcome = search_messages("kiln", rerank=False)
    assert outcome.status == "partial" and outcome.degraded == ("vector", "artifact_vector")
    assert len(outcome.matches) == 1


def test_an_empty_index_is_empty(in_tenant: Tenant, llm: Any) -> None:
    assert search_messages("kiln", rerank=False).status == "empty"


@pytest.mark.parametrize("limit", [-3, 0, 1])
def test_a_limit_is_clamped(in_tenant: Tenant, llm: Any, limit: int) -> None:
    say("kiln one", 1)
    say("kiln two", 2)
    embedded()
    assert len(_refs("kiln", limit=limit)) == 1


def test_what_only_seems_near_is_called_loose(in_tenant: Tenant, llm: Any) -> None:
    say("Lunch is at noon.", 1)
    embedded()
    assert search_messages("zeppelin", rerank=False).loose
    assert not search_messages("lunch", rerank=False).loose
