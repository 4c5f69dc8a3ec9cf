"""What becomes of messages: new, again, edited, too short, out of order."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.knowledge.embedding import embed_waiting
from apps.knowledge.embedding_kinds import MESSAGES
from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.slack_index.ingest import ingest_message
from apps.knowledge.slack_index.message import Names, SlackMessage
from apps.tenancy.models import QueueJob, Tenant
from tests.knowledge.slack_index.conftest import GENERAL, LONG, at, said


def the_row() -> ProcessedSlackMessage:
    row: ProcessedSlackMessage = ProcessedSlackMessage.objects.get()
    return row


def test_a_message_is_stored_as_people_read_it(in_tenant: Tenant) -> None:
    done = ingest_message(
        said(1, "<@U0MO> PR-204 &amp; <https://x.example/a|the plan> in <#C0OPS>", permalink="https://p"),
        names=Names(users={"U0MO": "Mo"}, channels={"C0OPS": "ops"}),
    )
    row = the_row()
    assert done.outcome == "created"
    assert row.message_text == "@Mo PR-204 & the plan (https://x.example/a) in #ops"
    assert row.normalized_text == "mopr204theplanhttpsxexampleainops"
    assert (row.channel_name, row.user_name, row.permalink) == ("general", "Ada", "https://p")
    assert row.message_date.timestamp() == pytest.approx(1_790_000_001.0001)


def test_ten_characters_are_too_few_and_eleven_enough(in_tenant: Tenant) -> None:
    assert ingest_message(said(1, "a" * 10)).outcome == "too_short"
    assert ingest_message(said(2, "a" * 11)).outcome == "created"
    assert the_row().message_ts == at(2)


def test_the_same_again_changes_nothing(in_tenant: Tenant, llm: Any) -> None:
    ingest_message(said(1))
    embed_waiting(MESSAGES)
    assert ingest_message(said(1, user_name="Ada L.")).outcome == "unchanged"
    row = the_row()
    assert row.user_name == "Ada L."
    assert row.embedding is not None


def test_an_edit_of_the_words_wants_another_vector(in_tenant: Tenant, llm: Any) -> None:
    ingest_message(said(1))
    embed_waiting(MESSAGES)
    ProcessedSlackMessage.objects.update(extraction_processed_at="2026-01-01T00:00:00Z")
    assert ingest_message(said(1, "It moves to pier ten instead.", edited_ts=at(5))).outcome == "updated"
    row = the_row()
    assert row.message_text == "It moves to pier ten instead."
    assert (row.embedding, row.embedder, row.extraction_processed_at) == (None, None, None)


def test_an_older_version_that_arrives_late_is_passed_over(in_tenant: Tenant) -> None:
    ingest_message(said(1, "The second version of it.", edited_ts=at(9)))
    assert ingest_message(said(1, "The first version of it.", edited_ts=at(5))).outcome == "outdated"
    assert ingest_message(said(1, "What was said at first.")).outcome == "outdated"
    assert the_row().message_text == "The second version of it."


def test_an_edit_that_leaves_too_little_takes_the_words_away_until_there_are_more(in_tenant: Tenant) -> None:
    ingest_message(said(1))
    assert ingest_message(said(1, "never mind", edited_ts=at(5))).outcome == "too_short"
    assert (the_row().message_text, the_row().withdrawn_at is None) == ("", False)
    assert ingest_message(said(1, "Well, mind it after all.", edited_ts=at(6))).outcome == "updated"
    assert (the_row().message_text, the_row().withdrawn_at) == ("Well, mind it after all.", None)


def test_a_reply_asks_for_its_thread_and_a_message_on_top_for_nothing(in_tenant: Tenant) -> None:
    ingest_message(said(1))
    assert QueueJob.objects.count() == 0
    ingest_message(said(2, thread_ts=at(1)))
    assert [row.key for row in QueueJob.objects.all()] == [f"{GENERAL}:{at(1)}"]


def test_an_edit_of_the_message_a_thread_began_with_asks_for_it_too(in_tenant: Tenant) -> None:
    ingest_message(said(1))
    ingest_message(said(2, thread_ts=at(1)))
    QueueJob.objects.all().delete()
    ingest_message(said(1, "The office stays where it is.", edited_ts=at(3)))
    assert QueueJob.objects.filter(key=f"{GENERAL}:{at(1)}").count() == 1


def test_the_switch_keeps_threads_from_being_asked_for(in_tenant: Tenant, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"slack_thread_artifacts": False})
    ingest_message(said(2, thread_ts=at(1)))
    assert QueueJob.objects.count() == 0


@pytest.mark.parametrize("ts", ["", "yesterday", "1790000000", "-1.000000", "9" * 40 + ".000001", "1\x00.0"])
def test_a_time_that_is_none_is_refused(in_tenant: Tenant, ts: str) -> None:
    with pytest.raises(BadInput):
        SlackMessage(channel_id=GENERAL, ts=ts, text=LONG)


def test_hostile_text_is_stored_without_what_postgres_refuses(in_tenant: Tenant) -> None:
    done = ingest_message(said(1, "nul \x00 and \ud800 half an emoji, " + "x" * 100_000))
    assert done.outcome == "created"
    assert len(the_row().message_text) <= 40_000
    assert "\ufffd" in the_row().message_text
