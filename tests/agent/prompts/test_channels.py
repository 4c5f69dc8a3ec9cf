"""Each channel gets its own rules and none of another's."""

from __future__ import annotations

import pytest

from apps.agent.prompts.assemble import assemble, render_prompt
from apps.agent.prompts.facts import Channel
from tests.agent.prompts.cast import facts, mail

SLACK_ONLY = [
    "SLACK FORMATTING",
    "MENTION GROUNDING",
    "CONVERSATION SETTING",
    "CHANNEL CONTEXT",
    "single asterisks",
]


@pytest.mark.parametrize("channel", ["web", "api"])
def test_web_and_api_write_markdown_and_know_nothing_of_slack(channel: Channel) -> None:
    prompt = render_prompt(facts(channel=channel))
    assert "MARKDOWN FORMATTING:" in prompt
    assert "2-3 to a message" in prompt
    assert "U0PILOT" not in prompt
    assert [rule for rule in [*SLACK_ONLY, "RESPONSE FORMAT:"] if rule in prompt] == []


def test_slack_writes_mrkdwn() -> None:
    prompt = render_prompt(facts())
    assert "SLACK FORMATTING:" in prompt
    assert "<@U0PILOT> is your own Slack user ID" in prompt
    assert "MARKDOWN FORMATTING" not in prompt


def test_email_is_prose_with_a_sign_off_and_its_time_zone() -> None:
    prompt = render_prompt(facts(channel="email", mail=mail()))
    assert '"Cheers, Pilot"' in prompt
    assert "in America/Los_Angeles (PST)" in prompt
    assert [rule for rule in [*SLACK_ONLY, "MARKDOWN FORMATTING"] if rule in prompt] == []


@pytest.mark.parametrize(
    ("is_dm", "present", "absent"),
    [
        (True, "slack.dm_context_block", "slack.channel_context_block"),
        (False, "slack.channel_context_block", "slack.dm_context_block"),
    ],
)
def test_slack_says_where_the_conversation_is(is_dm: bool, present: str, absent: str) -> None:
    names = [layer.name for layer in assemble(facts(is_dm=is_dm))]
    assert present in names
    assert absent not in names


@pytest.mark.parametrize(
    ("channel", "noun", "context"),
    [
        ("slack", "message", "current Slack thread"),
        ("web", "message", "current conversation"),
        ("api", "request", "current conversation"),
        ("email", "email", "current email thread"),
    ],
)
def test_the_precedence_list_speaks_the_channels_words(channel: Channel, noun: str, context: str) -> None:
    assert f"1. current {noun}, 2. {context}, 3. " in render_prompt(facts(channel=channel))
