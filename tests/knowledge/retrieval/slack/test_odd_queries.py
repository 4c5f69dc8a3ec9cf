"""No question makes the text lane fail or match everything (RET-02)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.knowledge.retrieval.slack import search_messages
from apps.knowledge.retrieval.slack.lanes import LaneName, search_lanes
from apps.tenancy.models import Tenant
from tests.knowledge.slack_talk import embedded, say

pytestmark = pytest.mark.django_db
TEXT: tuple[LaneName, ...] = ("text",)

ODD = [
    "- " * 40,
    "----- forwarded -----",
    "-refunds",
    "who is it?",
    "???",
    "😀",
    "PR-204-17",
    '"unclosed quote',
    "gpt-4 or claude",
    "смета",
    "",
    "refund or -refund",
    "x" * 5000,
    "word " * 1000,
    "a & b | !c <-> d :* \\ ' %_",
    "\x00null \ud800 half",
    "-" * 3000,
    "((((((",
]


@pytest.fixture
def talk(in_tenant: Tenant, llm: Any) -> None:
    say("We pay refunds on Fridays only.", 1)
    say("See PR-204-17 for the mooring rules.", 2)
    say("Новая смета готова.", 3)
    say("Nothing to see here 😀, 100% sure_thing.", 4)
    embedded()


def _texts(question: str) -> list[str]:
    lane = search_lanes(question, None, lanes=TEXT).messages.get("text")
    return [] if lane is None else [row[3] for row in lane.rows or ()]


@pytest.mark.parametrize("question", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("whole", [True, False], ids=["every message", "by the indexes"])
def test_it_is_answered(talk: None, question: str, whole: bool, monkeypatch: Any) -> None:
    if not whole:
        _as_if_large(monkeypatch)
    outcome = search_messages(question, rerank=False)
    assert outcome.status in {"found", "empty"} and outcome.degraded == ()


def test_a_lone_exclusion_does_not_bring_the_channel(talk: None) -> None:
    assert _texts("-refunds") == ["message:C0GENERAL:1772000001.000100"]
    assert len(_texts("mooring or -refunds")) <= 2


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("question", "number"), [("PR-204-17", 2), ("pr 204 17", 2), ("смета", 3), ("sure_thing", 4)]
)
def test_what_is_written_is_found(
    talk: None, question: str, number: int, whole: bool, monkeypatch: Any
) -> None:
    if not whole:
        _as_if_large(monkeypatch)
    assert _texts(question) == [f"message:C0GENERAL:177200000{number}.000100"]


def test_stop_words_and_wildcards_find_nothing_by_text(talk: None) -> None:
    assert _texts("who is it?") == _texts("%%%%") == _texts("____") == []


def _as_if_large(monkeypatch: Any) -> None:
    """The bound of the specification's lane set to nothing, so that few messages are searched as many are."""
    monkeypatch.setattr("apps.knowledge.retrieval.slack.text_lane.EVERY_MESSAGE_UP_TO", -1)
