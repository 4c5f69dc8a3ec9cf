"""Above 5,000 messages the indexes choose whom to score, and the best ten stay the same."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.execution import Statement, run_statements
from apps.knowledge.retrieval.slack import text_lane
from apps.knowledge.retrieval.slack.asked import asked
from apps.knowledge.retrieval.slack.text_lane import EVERY_MESSAGE_UP_TO, TextLane, read_query
from apps.knowledge.retrieval.starving import unstarved
from apps.knowledge.slack_index.normalized import normalized_text
from apps.tenancy.models import Tenant
from tests.knowledge.slack_talk import BEGINNING, ts_of

pytestmark = pytest.mark.django_db
_SYLLABLES = (
    "mo",
    "ri",
    "ka",
    "tel",
    "dun",
    "ska",
    "vi",
    "pro",
    "lo",
    "gan",
    "ter",
    "ship",
    "yard",
    "kil",
    "ust",
    "ing",
)
QUESTIONS = [
    "kiln repair",
    "who can mend a mooring at the shipyard?",
    "PR-204-17",
    "pr20417",
    "-repair",
    "terning or dunska",
    "modun telka viprolo ganter",
    "the ship",
    "collust",
    "100%_sure",
]


@pytest.fixture
def much_talk(in_tenant: Tenant) -> None:
    chance = random.Random(7)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(1500)]
    words += ["kiln", "repair", "mooring", "ship", "shipyard", "PR-204-17", "100%_sure", "dunska"]
    rows = []
    for number in range(EVERY_MESSAGE_UP_TO + 200):
        text = " ".join(chance.choices(words, k=chance.randint(4, 30)))
        if number % 97 == 0:
            text += " " + chance.choice(QUESTIONS)
        rows.append(
            ProcessedSlackMessage(
                channel_id="C0GENERAL",
                channel_name="general",
                user_name=f"person {number % 40}",
                message_ts=ts_of(number),
                message_text=text,
                normalized_text=normalized_text(text),
                message_date=BEGINNING + timedelta(minutes=number),
            )
        )
    ProcessedSlackMessage.objects.bulk_create(rows, batch_size=1000)


def test_the_best_ten_are_the_full_lanes(much_talk: None) -> None:
    for question in QUESTIONS:
        whole, some = _full(question), _large(question)
        assert whole, question
        assert whole[:10] == some[:10], question


def test_common_words_let_in_none_and_yet_nothing_is_missed(
    much_talk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_lane, "COMMON_ABOVE", 0.002)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE processed_slack_messages")
    questions = ["who can mend a mooring at the shipyard?", "kiln repair shipyard dunska", "ship mooring"]
    for question in questions:
        query = read_query(asked(question))
        assert query is not None and query.common, question
        assert _large(question) == _full(question), question


@pytest.mark.parametrize(("lowest", "harmless"), [(0.18, 0), (0.19, 1), (0.36, 1), (0.54, 2), (4.0, 3)])
def test_as_many_terms_are_left_out_as_cannot_matter(lowest: float, harmless: int) -> None:
    asked_for: list[int] = []
    statement = Statement("text", "", {})

    def without(count: int) -> Statement:
        asked_for.append(count)
        return statement

    lane = TextLane(statement=statement, limit=2, left_out=3, without=without)
    assert lane.second([(1, "", 5.0, ""), (2, "", lowest, "")]) == (None if harmless == 3 else statement)
    assert asked_for == ([] if harmless == 3 else [harmless])
    assert lane.second([(1, "", 5.0, "")]) is statement and asked_for[-1] == 0


def _full(question: str) -> list[Any]:
    return _rows(question, messages=1)


def _large(question: str) -> list[Any]:
    return _rows(question, messages=EVERY_MESSAGE_UP_TO + 1)


def _rows(question: str, *, messages: int) -> list[Any]:
    query = read_query(asked(question))
    lane = text_lane.text_lane(query, messages=messages) if query else None
    assert lane is not None, question
    rows = unstarved(run_statements([lane.statement])["text"], lane)
    assert rows is not None, question
    return [(row[3], round(row[2], 6)) for row in rows]
