"""Built-in text never names a tool that is not at hand."""

from __future__ import annotations

import itertools

import pytest

from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.facts import Channel
from apps.agent.prompts.pruning import NAMED_TOOLS, without_absent_tools
from tests.agent.prompts.cast import EVERY_TOOL, READ_TOOLS, facts, mail, tools

ONE = frozenset({"search_knowledge_base"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Always use search_members here. Then stop.", ""),
        ("- Be kind. Use search_members first. Then stop.", "- Be kind. Then stop."),
        ('- Say "hello." Use search_members. Stop.', '- Say "hello." Stop.'),
        ("- search_knowledge_base stays.", "- search_knowledge_base stays."),
        ("- search_members_old is no name of ours.", "- search_members_old is no name of ours."),
        ("one\n- search_members\ntwo", "one\ntwo"),
    ],
)
def test_lines_and_sentences(text: str, expected: str) -> None:
    assert without_absent_tools(text, tools=ONE) == expected


SURFACES: list[tuple[str, ...]] = [
    (),
    ("escalate_to_admin",),
    READ_TOOLS,
    *itertools.combinations(EVERY_TOOL, 1),
    tuple(name for name in EVERY_TOOL if name != "remember_user_preference"),
    tuple(name for name in EVERY_TOOL if name != "list_user_preferences"),
    tuple(name for name in EVERY_TOOL if name != "search_knowledge_base"),
]


@pytest.mark.parametrize("channel", ["slack", "web", "api", "email"])
@pytest.mark.parametrize("surface", SURFACES, ids=range(len(SURFACES)))
def test_the_prompt_names_only_tools_at_hand(surface: tuple[str, ...], channel: Channel) -> None:
    letter = mail() if channel == "email" else None
    for tier in ("member", "public", "mentor", "unresolved"):
        prompt = render_prompt(facts(channel=channel, tier=tier, tools=tools(*surface), mail=letter))
        rules = prompt.split("TOOL USAGE GUIDANCE:")[1]
        assert [name for name in NAMED_TOOLS - set(surface) if name in rules] == []


def test_a_rule_outlives_the_example_that_names_an_absent_tool() -> None:
    prompt = render_prompt(facts(tools=()))
    assert "DO NOT FAN OUT WITH SYNONYMS" in prompt
    assert "never invent a Slack channel ID" in prompt
    assert "lunch" not in prompt


@pytest.mark.parametrize(
    ("channel", "is_dm", "state", "advice"),
    [
        ("slack", True, "failed", "always apologize briefly and ask them to send the request again"),
        ("slack", False, "not_private", "always ask them to DM you for a secure link that works."),
        ("web", False, "failed", "always apologize briefly and ask them to send the request again"),
        ("email", False, "failed", "always apologize briefly and ask them to email back"),
        ("email", False, "unresolved", "write from the email address that their account is tied to."),
    ],
)
@pytest.mark.parametrize("guide", ["", "https://guide.example/start"])
def test_where_links_fail_the_advice_and_the_guide_outlive_the_absent_tool(
    channel: str, is_dm: bool, state: str, advice: str, guide: str
) -> None:
    prompt = render_prompt(
        facts(channel=channel, is_dm=is_dm, link_state=state, tools=(), public_guide_url=guide)
    )
    assert advice in prompt
    assert (f". The public guide at {guide} is open to everyone" in prompt) is bool(guide)
    assert "get_knowledge_page_link" not in prompt
    assert "  " not in prompt.replace("\n  •", "\n•")
