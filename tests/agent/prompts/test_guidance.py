"""Every guidance line is in exactly when its tools are."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from apps.agent.prompts import guidance
from apps.agent.prompts.guidance import GuidanceLine, built_in_lines

LINES = built_in_lines()
KB, SLACK, NEWS = "search_knowledge_base", "search_slack_messages", "search_current_events"
MEMBERS, COMPANIES = "search_members", "search_companies"
FIND, START = "find_channel_for_community_post", "start_community_conversation"
ESCALATE = "escalate_to_admin"
CREATE, LIST, CANCEL = (
    "request_human_intervention",
    "list_my_human_interventions",
    "cancel_human_intervention",
)
OLD_CREATE, OLD_LIST, OLD_DELETE = (
    "create_fulfillment_request",
    "list_my_fulfillment_requests",
    "delete_my_fulfillment_request",
)
GUIDE = "https://guide.example"
CREATE_LINES = [
    "physical_world",
    "team_must_know",
    "no_noted_without_call",
    "no_logged_without_success",
    "only_physical",
]


def routing(*tools: str, guide: str = "") -> str:
    return guidance.knowledge_routing(
        LINES, tools=frozenset(tools), guide_url=guide, follow_up_context="current Slack thread context"
    )


def requests(*tools: str, confirms: bool = False) -> str:
    return guidance.request_tools(LINES, tools=frozenset(tools), confirms_success=confirms)


def preferences(*tools: str) -> str:
    return guidance.preference_tools(LINES, tools=frozenset(tools))


def messaging(*tools: str, admin: bool = False) -> str:
    return guidance.messaging_restriction(LINES, tools=frozenset(tools), is_admin=admin)


def conversation(*tools: str, dm: bool = True) -> str:
    return guidance.community_conversation(LINES, tools=frozenset(tools), is_dm=dm)


def ids(builder: str, text: str) -> list[str]:
    """Which lines of a builder a text consists of, by how each begins before its first name in braces."""
    found = []
    for written in text.split("\n") if text else []:
        line = next(line for line in LINES[builder] if _same(line.text, written) and line.id not in found)
        found.append(line.id)
    return found


def _same(template: str, written: str) -> bool:
    pieces = guidance._NAME.split(template)[::2]
    position = 0
    for piece in pieces:
        position = written.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ((), ["short_follow_up"]),
        ((KB,), ["short_follow_up", "knowledge_base"]),
        ((NEWS,), ["short_follow_up", "news_alone", "live_without_knowledge_base"]),
        (
            (KB, NEWS),
            [
                "short_follow_up",
                "knowledge_base",
                "news_with_knowledge_base",
                "live_on_top_of_knowledge_base",
            ],
        ),
        ((SLACK,), ["short_follow_up"]),
        (
            (KB, SLACK),
            ["short_follow_up", "knowledge_base", "knowledge_base_before_slack", "slack_is_discussion"],
        ),
        ((MEMBERS,), ["short_follow_up", "contact_at_a_company", "list_of_names"]),
        ((COMPANIES,), ["short_follow_up"]),
        (
            (MEMBERS, SLACK),
            ["short_follow_up", "contact_at_a_company", "people_before_general_knowledge", "list_of_names"],
        ),
        (
            (KB, SLACK, NEWS, MEMBERS),
            [
                "short_follow_up",
                "knowledge_base",
                "news_with_knowledge_base",
                "knowledge_base_before_slack",
                "slack_is_discussion",
                "live_on_top_of_knowledge_base",
                "contact_at_a_company",
                "people_before_general_knowledge",
                "list_of_names",
            ],
        ),
    ],
)
def test_knowledge_routing(tools: tuple[str, ...], expected: list[str]) -> None:
    assert ids("knowledge_routing", routing(*tools)) == expected
    assert ids("knowledge_routing", routing(*tools, guide=GUIDE)) == [*expected, "guide"]


def test_routing_uses_the_values_it_is_given() -> None:
    assert "from the current Slack thread context first" in routing()
    assert f"pointed to {GUIDE}." in routing(guide=GUIDE)


def test_directory_means_companies_too_where_that_tool_exists() -> None:
    both = "search_members (plus search_companies where the company may itself belong to the community)"
    assert f"ALWAYS include {both} in the same parallel batch" in routing(MEMBERS, COMPANIES)
    assert "search_companies" not in routing(MEMBERS)


@pytest.mark.parametrize(
    ("tools", "confirms", "expected"),
    [
        ((), True, []),
        (
            (CREATE,),
            False,
            [
                "physical_world",
                "team_must_know",
                "no_noted_without_call",
                "no_logged_without_success",
                "only_physical",
                "wording",
            ],
        ),
        ((LIST,), True, ["status", "wording"]),
        ((CANCEL,), True, ["delete", "wording"]),
        ((CANCEL, LIST), False, ["status", "delete", "delete_unclear", "wording"]),
        (
            (CREATE, OLD_CREATE),
            True,
            [CREATE_LINES[0], "canonical_before_legacy", *CREATE_LINES[1:], "wording", "confirm_success"],
        ),
    ],
)
def test_request_tools(tools: tuple[str, ...], confirms: bool, expected: list[str]) -> None:
    assert ids("request_tools", requests(*tools, confirms=confirms)) == expected


@pytest.mark.parametrize(
    ("tools", "named", "unnamed"),
    [
        ((CREATE, LIST, CANCEL), (CREATE, LIST, CANCEL), (OLD_CREATE, OLD_LIST, OLD_DELETE)),
        ((OLD_CREATE, OLD_LIST, OLD_DELETE), (OLD_CREATE, OLD_LIST, OLD_DELETE), (CREATE, LIST, CANCEL)),
        ((CREATE, OLD_LIST, OLD_DELETE), (CREATE, OLD_LIST, OLD_DELETE), (OLD_CREATE, LIST, CANCEL)),
        ((LIST, OLD_LIST), (LIST,), (OLD_LIST, CREATE)),
    ],
)
def test_each_request_verb_finds_its_own_tool(
    tools: tuple[str, ...], named: tuple[str, ...], unnamed: tuple[str, ...]
) -> None:
    text = requests(*tools, confirms=True)
    assert [name for name in named if name not in text] == []
    assert [name for name in unnamed if name in text] == []
    assert "{" not in text


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("remember_user_preference", ["remember", "only_explicit"]),
        ("list_user_preferences", ["list", "answer_after_list"]),
        ("forget_user_preference", ["forget"]),
        ("set_dm_reply_style", ["dm_reply_style"]),
        ("set_auto_reply_preference", ["auto_reply"]),
        ("search_members", []),
    ],
)
def test_preference_tools(tool: str, expected: list[str]) -> None:
    assert ids("preference_tools", preferences(tool)) == expected


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ((), ["restriction", "offer_text", "never_sent"]),
        ((ESCALATE,), ["restriction", "offer_text", "team", "never_sent_but_team"]),
        ((ESCALATE, FIND), ["restriction", "offer_text", "team", "never_sent_but_team"]),
        (
            (FIND, START),
            ["restriction", "offer_text", "community_conversation", "never_sent_but_conversation"],
        ),
        (
            (ESCALATE, FIND, START, CREATE),
            [
                "restriction",
                "offer_text",
                "team",
                "community_conversation",
                "no_workaround",
                "never_sent_but_both",
            ],
        ),
    ],
)
def test_messaging_restriction(tools: tuple[str, ...], expected: list[str]) -> None:
    assert ids("messaging_restriction", messaging(*tools)) == expected
    assert messaging(*tools, admin=True) == ""


@pytest.mark.parametrize(
    ("tools", "dm", "count"),
    [((FIND, START), True, 5), ((FIND, START), False, 0), ((FIND,), True, 0), ((START,), True, 0)],
)
def test_community_conversation(tools: tuple[str, ...], dm: bool, count: int) -> None:
    text = conversation(*tools, dm=dm)
    assert len(text.split("\n") if text else []) == count


@pytest.mark.parametrize("build", [requests, preferences, conversation])
def test_nothing_qualifies_nothing_is_said(build: Callable[..., str]) -> None:
    assert build("some_other_tool") == ""


def test_a_tool_cannot_pose_as_a_fact() -> None:
    assert messaging("@admin") != ""
    assert "guide" not in ids("knowledge_routing", routing("@guide_url"))


@pytest.mark.parametrize("when", ["a && b", "a b c!", "a||b", "(a|b)", "a\nb"])
def test_a_condition_nobody_can_read_is_refused(when: str) -> None:
    with pytest.raises(ValueError, match="cannot read the condition"):
        GuidanceLine("x", when, "- x")


def test_line_ids_are_unique_within_a_builder() -> None:
    for builder, lines in LINES.items():
        names = [line.id for line in lines]
        assert len(names) == len(set(names)), builder
        assert all(line.text.startswith("- ") and "\n" not in line.text for line in lines), builder


def test_every_line_can_appear() -> None:
    everything = frozenset(
        itertools.chain.from_iterable(
            line.when.replace("|", " ").split() for v in LINES.values() for line in v
        )
    )
    present = frozenset(name for name in everything if not name.startswith("!"))
    for lines in LINES.values():
        for line in lines:
            denied = {term[1:] for term in line.when.split() if term.startswith("!")}
            assert line.holds(present - denied), line.id
