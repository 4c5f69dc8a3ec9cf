"""``manage.py why``: how the searches of a turn went, and where an item fell out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.agent.record.whereabouts import path_of
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, says
from tests.knowledge.slack_talk import embedded, say, ts_of
from tests.plugins.community import Community


@pytest.fixture
def trace_id(community: Community) -> Iterator[str]:
    with tenant_context(community.tenant):
        say("kiln question", 1)
        for number in (2, 3):
            say(f"kiln answer {number}", number, thread_ts=ts_of(1))
        embedded()
        community.llm.reply(
            calls(
                ("search_slack_messages", {"query": "kiln"}), ("search_knowledge_base", {"query": "guests"})
            ),
            says("That is enough to answer this."),
            says("This is what there is to be said about it."),
        )
        outcome = ask(community, "what about the kiln?")
    yield outcome.trace_id


def _why(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("why", *arguments, stdout=out, **options)
    return out.getvalue()


def test_a_whole_turn_is_told(trace_id: str) -> None:
    said = _why(trace_id)
    assert 'search   search_slack_messages {"query": "kiln"}: found, fused order' in said
    assert "text lane: 3 hits" in said and "cut: source_cap" in said
    assert f"message:C0GENERAL:{ts_of(3)}" in said and "guests#0" in said


def test_an_item_is_followed_to_where_it_fell_out(trace_id: str) -> None:
    items = [_why(trace_id, f"C0GENERAL:{ts_of(number)}") for number in (1, 2, 3)]
    assert all("text lane: rank" in said for said in items)
    # Three of one thread: two are shown, one is cut.
    cut = ["cut: one too many of its page or thread" in said for said in items]
    shown = ["shown to the model" in said for said in items]
    assert sorted(cut) == [False, False, True] and shown == [not each for each in cut]
    assert "fused: rank 1" in _why(trace_id, "guests")
    assert "no lane found it" in _why(trace_id, "absent")


def test_machines_get_the_records(trace_id: str) -> None:
    told = json.loads(_why(trace_id, "guests", json=True))
    assert [search["tool"] for search in told] == ["search_slack_messages", "search_knowledge_base"]
    assert told[1]["path"][-1].startswith("shown to the model")


def test_an_unknown_turn_is_a_sentence(trace_id: str) -> None:
    with pytest.raises(CommandError, match="No turn with this trace id"):
        _why("0" * 32)


def test_each_way_out_has_its_words() -> None:
    flight = {
        "lanes": {"text": None, "vector": [{"ref": "rules#2", "rank": 3, "score": 0.2}]},
        "fused": [],
        "reranked": {},
        "cut": [{"ref": "rules#2", "why": "floor"}],
    }
    assert path_of("rules", flight) == [
        "text lane: failed, so it could find nothing",
        "vector lane: rank 3 of 1, score 0.2 (rules#2)",
        "cut: too far from the question: below the relevance floor of the vector lane (rules#2)",
    ]
