"""The score of the text lane, part by part."""

from __future__ import annotations

from typing import Any

import pytest

from apps.knowledge.retrieval.slack.lanes import LaneName, search_lanes
from apps.tenancy.models import Tenant
from tests.knowledge.slack_talk import say

pytestmark = pytest.mark.django_db
TEXT: tuple[LaneName, ...] = ("text",)


def _scores(question: str) -> dict[str, float]:
    rows = search_lanes(question, None, lanes=TEXT).messages["text"].rows
    assert rows is not None
    return {row[3].split(":")[2][9:10]: row[2] for row in rows}


@pytest.mark.parametrize(
    ("question", "text", "more", "score"),
    [
        # No whole word is shared, so full text adds nothing but where it is said.
        ("moorin", "all about moorings", {}, 1.25 + 0.9 + 0.18),
        ("enera", "hello", {}, 0.35),
        ("uis", "hello", {}, 0.35),
        ("moo-rin", "all about moorings", {}, 0.9 + 2 * 0.18),
        ("oor", "all about moorings", {}, 1.25 + 0.18),
        ("oor ing", "all about moor things", {}, 2 * 0.18),
    ],
)
def test_each_part_counts_what_it_should(
    in_tenant: Tenant, question: str, text: str, more: dict[str, Any], score: float
) -> None:
    say(text, 1, **more)
    assert _scores(question)["1"] == pytest.approx(score, abs=1e-6)


def test_full_text_counts_four_times(in_tenant: Tenant) -> None:
    say("The mooring costs ninety.", 1)
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ts_rank_cd(search_tsv, websearch_to_tsquery('english', 'ninety costs'), 32)"
            " FROM processed_slack_messages"
        )
        (rank,) = cursor.fetchone() or (0,)
    assert rank > 0
    assert _scores("ninety costs")["1"] == pytest.approx(4 * rank + 2 * 0.18, abs=1e-6)


def test_eight_terms_at_most_and_no_stop_words(in_tenant: Tenant) -> None:
    say("one two three four five six seven eight nine ten and the other", 1)
    # No full text, since one word is missing.
    question = "absent the and one two three four five six seven eight nine ten"
    assert _scores(question)["1"] == pytest.approx(7 * 0.18, abs=1e-6)


def test_newer_wins_a_tie(in_tenant: Tenant) -> None:
    say("the mooring", 1)
    say("the mooring", 2)
    assert list(_scores("mooring")) == ["2", "1"]
