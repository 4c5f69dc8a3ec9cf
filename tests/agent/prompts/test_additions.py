"""A community adds to the defaults; only its character takes the place of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.agent.prompts.assemble import assemble, render_prompt
from apps.agent.prompts.facts import Channel, PromptFacts
from apps.agent.prompts.registry import BASE, UnknownPrompt
from apps.agent.prompts.wording import Wording, built_in_wording
from tests.agent.prompts.cast import facts, mail


def adding(**additions: str) -> Wording:
    return replace(
        built_in_wording(), additions={key.replace("__", "."): text for key, text in additions.items()}
    )


def prompt_with(key: str, addition: str, facts: PromptFacts) -> str:
    return render_prompt(facts, wording=replace(built_in_wording(), additions={key: addition}))


@pytest.mark.parametrize(
    ("key", "channel", "ending"),
    [
        ("slack.identity_addendum", "web", "use the user's name."),
        ("slack.formatting_section", "slack", "system internals in a reply."),
        ("slack.response_guideline_addendum", "slack", "the details after it."),
        ("email.formatting_section", "email", "system internals."),
        ("chat.markdown_formatting", "api", "system internals in a reply."),
    ],
)
def test_an_addition_follows_its_default(key: str, channel: Channel, ending: str) -> None:
    assert f"{ending}\n- We say berth." in prompt_with(key, "- We say berth.", facts(channel=channel))


def test_prose_is_set_apart_from_a_list() -> None:
    prompt = prompt_with("slack.formatting_section", "We say berth.", facts())
    assert "in a reply.\n\nWe say berth.\n\nRESPONSE GUIDELINES:" in prompt


def test_an_addition_to_the_master_prompt_follows_its_last_rule() -> None:
    prompt = prompt_with(BASE, "- House rule.", facts())
    assert prompt.index("A yes/no question") < prompt.index("\n\n- House rule.\n\nCurrent date and time")
    assert prompt.endswith("You are responding to: Dana (member)")


def test_policies_are_the_communitys() -> None:
    assert "\n- No wake in the basin.\n" in prompt_with(
        "slack.policies_addendum", "- No wake in the basin.", facts()
    )


def test_an_addition_may_use_values_and_what_nobody_fills_is_gone() -> None:
    prompt = prompt_with("slack.policies_addendum", "Greet {{userName}}.{{nobody}}", facts())
    assert "\nGreet Dana (member).\n" in prompt


@pytest.mark.parametrize(
    ("channel", "key", "tone"),
    [
        ("slack", "slack.identity_addendum", "2-3 to a message"),
        ("web", "slack.identity_addendum", "2-3 to a message"),
        ("email", "email.identity_addendum", "Cheers"),
    ],
)
def test_a_character_replaces_the_tone_and_the_addition_still_follows(
    channel: Channel, key: str, tone: str
) -> None:
    letter = mail() if channel == "email" else None
    spoken = facts(channel=channel, character="Speak like a pilot.", mail=letter)
    prompt = prompt_with(key, "Never shout.", spoken)
    assert tone not in prompt
    assert (
        prompt.index("Speak like a pilot.") < prompt.index("Never shout.") < prompt.index("COMMUNITY CONTEXT")
    )


def test_with_a_character_the_agent_still_knows_its_own_mention() -> None:
    assert "<@U0PILOT> is your own" in render_prompt(facts(character="Speak like a pilot."))


def test_additions_are_the_communitys_layers() -> None:
    wording = adding(slack__policies_addendum="- Ours.")
    assert [layer.origin for layer in assemble(facts(), wording=wording) if layer.text == "- Ours."] == [
        "tenant"
    ]


def test_wording_refuses_unknown_keys() -> None:
    with pytest.raises(UnknownPrompt):
        built_in_wording().default("slack.nope")
    with pytest.raises(UnknownPrompt):
        built_in_wording().addition("slack.nope")
