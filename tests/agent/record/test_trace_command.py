"""``manage.py trace``: a turn read back, for people and for machines."""

from __future__ import annotations

import json
import uuid
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.agent.record.journal import Journal
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.agent.record.test_rerun import planned
from tests.agent.record.test_run_record import searched
from tests.fakes.llm import fails
from tests.plugins.community import Community


def trace(trace_id: str, *flags: str) -> str:
    out = StringIO()
    call_command("trace", trace_id, *flags, stdout=out)
    return out.getvalue()


def as_json(trace_id: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(trace(trace_id, "--json"))
    return told


def test_machines_get_all_of_it(community: Community) -> None:
    outcome = searched(community)
    turn = as_json(outcome.trace_id)
    assert (turn["tenant"], turn["finished"], turn["failure"]) == ("harbour", True, None)
    assert [entry["purpose"] for entry in turn["rounds"]] == [
        "agent.planning",
        "agent.planning",
        "agent.answer",
    ]
    assert [call["name"] for call in turn["tools"]] == ["search_knowledge_base", "no_such_tool"]
    purposes = {row["purpose"]: row["calls"] for row in turn["purposes"]}
    assert purposes == {"agent.planning": 2, "agent.answer": 1, "search_embedding": 1}
    assert {"name", "origin", "size"} == set(turn["prompt_layers"][0])
    assert [row["direction"] for row in turn["log"]] == ["inbound", "outbound"]
    assert turn["recoveries"] == [] and turn["usage"]["llm_calls"] == 3
    assert turn["products"] == [{"kind": "answer", "ref": turn["log"][1]["dedupe_key"]}]


def test_people_get_lines_without_anybodys_words(community: Community) -> None:
    told = trace(searched(community).trace_id)
    assert "search_knowledge_base done" in told and "layer " in told and "log       outbound" in told
    assert "until ten" not in told and "guests?" not in told


def test_a_failure_shows_what_the_admins_were_told(community: Community) -> None:
    community.llm.reply(fails(402))
    turn = as_json(ask(community).trace_id)
    assert turn["failure"] == "llm_failed"
    assert [row["category"] for row in turn["interventions"]] == ["system_failure"]


def test_a_turn_that_broke_off_is_shown_as_far_as_it_came(community: Community) -> None:
    run_id = uuid.uuid4()
    with tenant_context(community.tenant):
        Journal(run_id).decide(planned(run_id, {"room": "Loft"}))
    turn = as_json(str(run_id))
    assert turn["finished"] is False and turn["tools"][0]["state"] == "intent"
    assert "not finished" in trace(run_id.hex)


@pytest.mark.django_db
@pytest.mark.parametrize("trace_id", ["f" * 32, "nonsense", "", "\x00", "x" * 5000])
def test_an_unknown_id_is_one_sentence(trace_id: str) -> None:
    with pytest.raises(CommandError) as refused:
        trace(trace_id)
    assert str(refused.value).count("\n") == 0 and str(refused.value).endswith(".")


def test_what_was_written_to_fool_a_terminal_is_shown_as_escapes(community: Community) -> None:
    run_id = uuid.uuid4()
    hostile = "\x9b2J\u202eevil\u2066\x85\ntrace     forged"
    with tenant_context(community.tenant):
        Journal(run_id).decide(planned(run_id, {"room": hostile}))
    for told in (trace(run_id.hex), trace(run_id.hex, "--json")):
        assert not set("\x9b\u202e\u2066\x85") & set(told)
        assert "\\u202eevil" in told and "\ntrace     forged" not in told
    assert as_json(run_id.hex)["tools"][0]["arguments"]["room"].startswith("\x9b2J\u202eevil")
