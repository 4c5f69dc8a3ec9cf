"""Above 5,000 messages the indexes choose whom to score, and the best ten stay the same."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from apps.knowledge.models import ProcessedSlackMessage
from apps.knowledge.retrieval.execution import run_statements
from apps.knowledge.retrieval.slack.asked import asked
from apps.knowledge.retrieval.slack.text_lane import EVERY_MESSAGE_UP_TO, read_query, text_statement
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
        query = read_query(asked(question))
        assert query is not None
        found = [_rows(text_statement(query, messages=size)) for size in (1, EVERY_MESSAGE_UP_TO + 1)]
        assert found[0], question
        assert found[0][:10] == found[1][:10], question


def _rows(statement: Any) -> list[Any]:
    rows = run_statements([statement])[statement.name]
    assert rows is not None
    return [(row[3], round(row[2], 6)) for row in rows]
