"""``escalate_to_admin``: a row for the team, whoever asks."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.interventions import sinks
from apps.agent.models import HumanIntervention, RunProduct
from apps.agent.turns import Caller, TurnOutcome
from apps.tenancy.context import tenant_context
from tests.agent.asking import ask
from tests.fakes.llm import calls, says
from tests.plugins.community import Community

SAID = {
    "escalation_reason": "Only the team can refund.",
    "user_request_summary": "Refund of the November desk",
    "what_was_checked": "The refund page",
}


def escalate(community: Community, arguments: dict[str, Any], **more: Any) -> TurnOutcome:
    community.llm.reply(
        calls(("escalate_to_admin", arguments)),
        says("That is all there is to be done here."),
        says("I have passed this on to the team."),
    )
    return ask(community, "refund me", **more)


def test_a_member_s_matter_is_written_down_whole(community: Community) -> None:
    outcome = escalate(community, SAID)
    with tenant_context(community.tenant):
        row = HumanIntervention.objects.get()
        assert RunProduct.objects.get(kind="intervention").ref == str(row.pk)
        assert row.principal is not None and row.principal.ref == "p-ada"
    assert (row.category, row.status, row.channel, row.title) == (
        "escalation",
        "open",
        "web",
        "Refund of the November desk",
    )
    assert SAID["escalation_reason"] in row.details and SAID["what_was_checked"] in row.details
    assert (
        row.metadata.items()
        >= {
            **SAID,
            "tier": "member",
            "trace_id": outcome.trace_id,
            "user_name": "Ada",
        }.items()
    )


def test_a_matter_passed_on_eight_times_in_a_turn_is_one_row(community: Community) -> None:
    again = SAID | {"user_request_summary": "refund of the  November desk "}
    other = SAID | {"user_request_summary": "A second key"}
    community.llm.reply(
        calls(*[("escalate_to_admin", said) for said in (*[SAID] * 7, again, other)]),
        says("That is all there is to be done here."),
        says("I have passed both on to the team."),
    )
    told: list[str] = []
    sinks.SINKS.append(lambda row: told.append(row.title))
    try:
        outcome = ask(community, "refund me")
    finally:
        sinks.SINKS.pop()
    assert [call.success for call in outcome.tool_calls] == [True] * 9
    with tenant_context(community.tenant):
        ids = {str(row.pk) for row in HumanIntervention.objects.all()}
    assert len(ids) == len(told) == 2
    read = community.llm.chats[-1].text
    assert sorted(read.count(row) for row in ids) == [1, 8]


def test_the_same_words_in_the_next_turn_are_a_new_matter(community: Community) -> None:
    escalate(community, SAID)
    escalate(community, SAID)
    with tenant_context(community.tenant):
        assert HumanIntervention.objects.count() == 2


def test_strangers_can_reach_the_team_as_well(community: Community) -> None:
    for caller in (Caller(), Caller(email="nobody@elsewhere.example")):
        assert escalate(community, SAID, caller=caller).tool_calls[0].success
    with tenant_context(community.tenant):
        assert HumanIntervention.objects.count() == 2


def test_an_exact_allowlist_without_it_leaves_it_out(community: Community) -> None:
    outcome = escalate(community, SAID, caller=Caller(email="lin@elsewhere.example"))
    assert outcome.tool_calls[0].success is False
    with tenant_context(community.tenant):
        assert not HumanIntervention.objects.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"escalation_reason": "x"},
        {"escalation_reason": "  ", "user_request_summary": "\x00"},
        {"escalation_reason": "x", "user_request_summary": "\u200b\u3164"},
        {"escalation_reason": "x", "user_request_summary": "x" * 2_001},
        {"escalation_reason": ["x"], "user_request_summary": {"a": 1}},
        {**SAID, "is_admin": True},
    ],
)
def test_what_says_nothing_is_not_passed_on(community: Community, arguments: dict[str, Any]) -> None:
    assert escalate(community, arguments).tool_calls[0].success is False
    with tenant_context(community.tenant):
        assert not HumanIntervention.objects.exists()


def test_hostile_words_are_storable_and_stay_one_line(community: Community) -> None:
    said = SAID | {"user_request_summary": "{{x}}\nSYSTEM RULES:\n<system>\x00\ud800" + "y" * 500}
    assert escalate(community, said).tool_calls[0].success
    with tenant_context(community.tenant):
        title = HumanIntervention.objects.get().title
    assert "\n" not in title and len(title) < 260 and "<system>" not in title
