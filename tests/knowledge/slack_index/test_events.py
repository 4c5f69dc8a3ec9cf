"""Which events are of use, and what their jobs do."""

from __future__ import annotations

from typing import Any

import pytest

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.slack_index.events import offer, spoken
from apps.tenancy.models import QueueJob, Tenant
from tests.fakes.slack import HOME, FakeSlack, channel, person
from tests.knowledge.slack_index.conftest import GENERAL, LONG, at, event, work

ROWS = ProcessedSlackMessage.objects


def test_a_message_is_indexed_with_names_and_its_address(slack: FakeSlack, llm: Any) -> None:
    assert offer(event(1, "<@U0MO> the office moves in <#C0GEN>"))
    assert ROWS.count() == 0
    work()
    row = ROWS.get()
    assert (row.message_text, row.user_name) == ("@Mo the office moves in #general", "Ada")
    assert row.channel_name == "general"
    assert row.permalink == f"{HOME}archives/{GENERAL}/p{at(1).replace('.', '')}"
    assert row.embedding is not None
    assert QueueJob.objects.get().state == "done"


@pytest.mark.parametrize(
    "fields",
    [
        {"channel_type": "im"},
        {"channel_type": "mpim"},
        {"channel_type": "group"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message"},
        {"text": "ok thanks"},
        {"text": None},
        {"ts": "soon"},
        {"channel": ["C0GEN"]},
    ],
    ids=lambda fields: next(iter(fields)) + ":" + str(next(iter(fields.values()))),
)
def test_what_nobody_would_search_for_is_not_even_asked_for(slack: FakeSlack, fields: dict[str, Any]) -> None:
    assert offer(event(1, **fields)) is False
    assert QueueJob.objects.count() == 0


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_some_subtypes_are_messages_like_others(slack: FakeSlack, llm: Any, subtype: str) -> None:
    assert offer(event(1, subtype=subtype))
    work()
    assert ROWS.count() == 1


def test_a_bot_is_not_indexed_and_a_person_speaking_through_an_app_is(slack: FakeSlack, llm: Any) -> None:
    offer(event(1, user="U0APP", bot_id="B0APP"))
    offer(event(2, user="U0WHO", bot_id="B0APP"))
    offer(event(3, user="U0ADA", bot_id="B0APP", app_id="A0APP"))
    work()
    assert [row.message_ts for row in ROWS.all()] == [at(3)]


def test_a_channel_of_unknown_kind_is_asked_about(slack: FakeSlack, llm: Any) -> None:
    slack.channels["C0PRIV"] = channel("board", is_private=True)
    offer(event(1, channel="C0PRIV", channel_type=None))
    offer(event(2, channel="C0NONE", channel_type=None))
    offer(event(3, channel_type=None))
    work()
    assert [row.channel_id for row in ROWS.all()] == [GENERAL]


def test_an_event_delivered_twice_is_one_job(slack: FakeSlack, llm: Any) -> None:
    offer(event(1))
    offer(event(1))
    assert QueueJob.objects.count() == 1
    work()
    offer(event(1))
    work()
    assert ROWS.count() == 1


def change(number: int, text: str, before: str = LONG, **fields: Any) -> dict[str, Any]:
    told = {"type": "message", "subtype": "message_changed", "channel": GENERAL, "channel_type": "channel"}
    now = {"user": "U0ADA", "text": text, "ts": at(number), "edited": {"ts": at(number + 50)}, **fields}
    return {**told, "ts": at(number + 50), "message": now, "previous_message": {"text": before}}


def test_an_edit_is_followed_whichever_comes_first(slack: FakeSlack, llm: Any) -> None:
    offer(event(1))
    offer(change(1, "The office stays on pier four."))
    work()
    assert ROWS.get().message_text == "The office stays on pier four."
    offer(change(2, "Nobody has seen this before it was edited."))
    offer(event(2))
    work()
    assert ROWS.get(message_ts=at(2)).message_text == "Nobody has seen this before it was edited."


def test_a_preview_that_slack_adds_is_no_edit(slack: FakeSlack) -> None:
    assert offer(change(1, LONG, LONG)) is False


def test_a_deletion_is_followed_at_once_and_outlives_what_still_waits(slack: FakeSlack, llm: Any) -> None:
    offer(event(1))
    work()
    offer(event(2))
    gone = {"type": "message", "subtype": "message_deleted", "channel": GENERAL, "channel_type": "channel"}
    for number in (1, 2):
        assert offer({**gone, "deleted_ts": at(number)})
    assert not ROWS.filter(withdrawn_at__isnull=True).exists()
    work()
    assert {(row.message_text, row.user_name) for row in ROWS.all()} == {("", None)}
    assert not ROWS.filter(withdrawn_at__isnull=True).exists()


def test_a_thread_whose_first_message_was_deleted_is_told_by_a_tombstone(slack: FakeSlack, llm: Any) -> None:
    offer(event(1))
    work()
    assert offer(change(1, "This message was deleted.", subtype="tombstone"))
    assert ROWS.get().message_text == ""


def test_a_reply_brings_the_message_its_thread_began_with(slack: FakeSlack, llm: Any) -> None:
    slack.post(GENERAL, "U0MO", "Where does the harbour office move to?", ts=at(1))
    slack.post(GENERAL, "U0ADA", LONG, ts=at(2), thread_ts=at(1))
    offer(event(2, thread_ts=at(1)))
    work()
    assert [(row.message_ts, row.user_name) for row in ROWS.order_by("message_ts")] == [
        (at(1), "Mo"),
        (at(2), "Ada"),
    ]
    asked = len(slack.called("conversations.history"))
    offer(event(3, thread_ts=at(1)))
    work()
    assert len(slack.called("conversations.history")) == asked


def test_slack_asking_for_a_rest_gets_one_and_loses_nothing(slack: FakeSlack, llm: Any) -> None:
    slack.object_to("users.info", retry_after=45)
    offer(event(1))
    work()
    job = QueueJob.objects.get()
    assert (job.state, job.attempts, ROWS.count()) == ("retrying", 0, 0)
    work()
    assert ROWS.get().user_name == "Ada"


def test_a_dead_token_costs_the_name_and_not_the_message(slack: FakeSlack, llm: Any) -> None:
    slack.token = "xoxb-another"
    offer(event(1))
    work()
    assert (ROWS.get().user_name, ROWS.get().message_text) == ("U0ADA", LONG)


def test_names_of_the_other_community_stay_there(
    slack: FakeSlack, other_tenant: Tenant, llm: Any, tenant: Tenant
) -> None:
    from apps.tenancy.context import tenant_context

    slack.people["U0ADA"] = person("Ada of Harbour")
    offer(event(1))
    work()
    with tenant_context(other_tenant):
        offer(event(1))
    work()
    with tenant_context(other_tenant):
        assert ROWS.get().user_name == "U0ADA"
    with tenant_context(tenant):
        assert ROWS.get().user_name == "Ada of Harbour"


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"subtype": "message_changed"},
        {"subtype": "message_changed", "channel": "C1", "message": "x"},
        {"subtype": "message_deleted", "channel": "C0GEN"},
        {"subtype": 7, "channel": "C0GEN", "ts": at(1), "text": {"a": 1}, "files": {"a": 1}, "edited": "x"},
        {"channel": "C0GEN", "ts": at(1), "files": [1, None, {"id": {}}], "reactions": [{"count": "many"}]},
    ],
)
def test_odd_events_are_read_or_passed_over(odd: dict[str, Any]) -> None:
    said = spoken(odd)
    assert said is None or said["ts"] == at(1)
