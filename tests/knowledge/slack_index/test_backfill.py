"""The history of channels: read to its first message, at the pace Slack allows, wherever a run ended."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.knowledge.models import ProcessedSlackMessage, SlackChannelReach, SlackThreadArtifact
from apps.knowledge.slack_index.backfill import KEY, request_history
from apps.knowledge.slack_index.distillation import PURPOSE
from apps.knowledge.slack_index.distilling import QUEUE as DISTILL
from apps.knowledge.slack_index.events import QUEUE, offer
from apps.knowledge.slack_index.pace import FASTEST, LARGEST, SLOWEST, Pace
from apps.knowledge.slack_index.reach import reach_of_channels, sentence
from apps.tenancy.jobs import run_due
from apps.tenancy.models import QueueJob
from tests.fakes.llm import says_json
from tests.fakes.slack import FakeSlack, channel
from tests.knowledge.slack_index.conftest import GENERAL, LONG, at, event, make_due

DIGEST = {"question": "Where?", "summary": "Pier nine.", "resolution": "", "topics": []}


def read_on(steps: int = 100) -> int:
    """So many pages, or until the job is done; gives how many it took."""
    for count in range(steps):
        make_due()
        if not run_due(QUEUE, limit=1):
            return count
    return steps


def the_job() -> QueueJob:
    return QueueJob.objects.get(queue=QUEUE, key=KEY)


def fill(slack: FakeSlack, count: int, channel_id: str = GENERAL, **fields: Any) -> None:
    for number in range(1, count + 1):
        slack.post(channel_id, "U0ADA", f"{LONG} Number {number}.", ts=at(number), **fields)


def test_all_of_it_is_read_page_by_page(slack: FakeSlack) -> None:
    fill(slack, 100)
    slack.post(GENERAL, "U0APP", "I am a bot and say nothing.", ts=at(200), bot_id="B0APP")
    asked = request_history()
    assert (asked.wanted, asked.complete) == (["general"], [])
    read_on()
    assert ProcessedSlackMessage.objects.count() == 100
    row = SlackChannelReach.objects.get()
    assert (row.complete, row.wanted, row.cursor, row.oldest_ts) == (True, False, None, at(1))
    assert row.messages_seen == 101
    assert [call["limit"] for call in slack.called("conversations.history")] == ["15", "30", "60"]
    assert the_job().state == "done"
    assert request_history().complete == ["general"]


def test_a_token_of_the_smallest_kind_is_never_hurried(slack: FakeSlack) -> None:
    slack.largest_page = 15
    fill(slack, 60)
    request_history()
    assert read_on(1) == 1
    slack.object_to("conversations.history", retry_after=60)
    make_due()
    run_due(QUEUE)
    row = SlackChannelReach.objects.get()
    job = the_job()
    assert row.paused_until is not None and abs((row.paused_until - job.run_after).total_seconds()) < 5
    assert Pace.read(job.checkpoint["pace"] if job.checkpoint else None).seconds == SLOWEST
    assert "paused until" in sentence(reach_of_channels()[0])
    assert job.attempts == 0
    read_on()
    assert ProcessedSlackMessage.objects.count() == 60
    assert SlackChannelReach.objects.get().paused_until is None


def test_replies_are_read_too_and_their_threads_distilled(slack: FakeSlack, llm: Any) -> None:
    slack.largest_page = 20
    fill(slack, 30)
    for number in range(100, 145):
        slack.post(GENERAL, "U0MO", f"{LONG} Reply {number}.", ts=at(number), thread_ts=at(7))
    request_history()
    read_on()
    assert ProcessedSlackMessage.objects.filter(thread_ts=at(7)).count() == 46
    assert SlackChannelReach.objects.get().complete
    llm.answer_with(lambda *_: says_json(DIGEST), purpose=PURPOSE)
    make_due(DISTILL)
    assert run_due(DISTILL) == 1
    assert SlackThreadArtifact.objects.get(kind="thread").message_count == 46


def test_a_run_that_is_lost_goes_on_where_it_was(slack: FakeSlack) -> None:
    fill(slack, 100)
    request_history()
    read_on(2)
    QueueJob.objects.all().delete()
    assert ProcessedSlackMessage.objects.count() == 45
    assert SlackChannelReach.objects.get().oldest_ts == at(56)
    request_history()
    read_on()
    assert ProcessedSlackMessage.objects.count() == 100
    latest = [call.get("latest") for call in slack.called("conversations.history")]
    assert latest == [None, at(86), at(56), at(41), at(11)]


def test_a_channel_we_are_not_in_is_said_and_the_others_are_read(slack: FakeSlack) -> None:
    slack.channels["C0AAA"] = channel("aaa")
    slack.channels["C0OLD"] = channel("old", is_archived=True)
    fill(slack, 3)
    request_history()
    slack.refuse("conversations.history", "not_in_channel")
    read_on()
    said = [sentence(reach) for reach in reach_of_channels()]
    assert said == [
        "#aaa is not indexed yet. Slack answered not_in_channel.",
        "#general is indexed from its beginning.",
    ]
    assert ProcessedSlackMessage.objects.count() == 3


def test_trouble_on_the_way_is_waited_out(slack: FakeSlack) -> None:
    fill(slack, 3)
    request_history()
    slack.refuse("conversations.history", "internal_error", times=3)
    read_on()
    assert the_job().state == "done"
    assert ProcessedSlackMessage.objects.count() == 3


def test_a_dead_token_ends_it_and_a_new_one_takes_it_up(slack: FakeSlack) -> None:
    fill(slack, 3)
    request_history()
    slack.refuse("conversations.history", "token_revoked")
    read_on()
    assert the_job().state == "failed"
    assert SlackChannelReach.objects.get().wanted
    request_history()
    read_on()
    assert ProcessedSlackMessage.objects.count() == 3


def test_files_of_old_messages_wait_their_turn(slack: FakeSlack) -> None:
    slack.post(GENERAL, "U0ADA", LONG, ts=at(1), files=[{"name": "a.pdf", "mimetype": "application/pdf"}])
    request_history()
    read_on(1)
    assert ProcessedSlackMessage.objects.get().message_text == LONG
    read_on()
    assert ProcessedSlackMessage.objects.get().message_text.endswith("Attached: a.pdf")


def test_what_arrives_by_itself_says_since_when(slack: FakeSlack, llm: Any) -> None:
    offer(event(5))
    offer(event(9))
    make_due()
    run_due(QUEUE)
    (reach,) = reach_of_channels()
    assert sentence(reach) == "#general is indexed since 2026-09-21 14:13 UTC."
    assert (SlackChannelReach.objects.get().newest_ts, reach.complete) == (at(9), False)


def test_the_command(slack: FakeSlack, llm: Any) -> None:
    fill(slack, 3)
    out = StringIO()
    call_command("backfill", "slack", "--tenant", "harbour", "--channel", "#general", stdout=out)
    assert out.getvalue().splitlines()[0] == "harbour: 1 to read, 0 complete."
    assert "its history is being read" in out.getvalue()
    with pytest.raises(CommandError, match="no such public channel"):
        call_command("backfill", "slack", "--tenant", "harbour", "--channel", "#nowhere")
    with pytest.raises(CommandError, match="no Slack token"):
        slack_off()
        call_command("backfill", "slack", "--tenant", "harbour")


def slack_off() -> None:
    from apps.integrations.slack.client import forget_client
    from apps.tenancy.models import TenantChannel

    TenantChannel.objects.update(status="disabled")
    forget_client()


def test_threads_without_a_document_are_asked_for(slack: FakeSlack, llm: Any) -> None:
    fill(slack, 3)
    slack.post(GENERAL, "U0MO", f"{LONG} Yes.", ts=at(100), thread_ts=at(2))
    request_history()
    read_on()
    QueueJob.objects.all().delete()
    llm.answer_with(lambda *_: says_json(DIGEST), purpose=PURPOSE)
    for wait in (1, 0):
        out = StringIO()
        call_command("backfill", "thread-artifacts", "--tenant", "harbour", stdout=out)
        assert f"harbour: {wait} threads wait" in out.getvalue()
        assert run_due(DISTILL) == wait


def test_the_pace_grows_to_the_most_and_shrinks_when_slack_objects() -> None:
    pace = Pace()
    for _ in range(7):
        pace = pace.after_success()
    assert (pace.seconds, pace.size) == (FASTEST, LARGEST)
    pace = pace.after_objection()
    assert pace.seconds == FASTEST * 2
    for _ in range(10):
        pace = pace.after_success()
    assert pace.seconds == pytest.approx(FASTEST * 2 * 0.8)
    for _ in range(20):
        pace = pace.after_objection()
    assert pace.seconds == SLOWEST
    assert Pace.read(pace.as_json()) == pace
    assert Pace.read({"seconds": "x"}) == Pace.read(None) == Pace()
