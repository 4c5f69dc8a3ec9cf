"""The nine sections keep their order, on every channel."""

from __future__ import annotations

import pytest

from apps.agent.prompts.assemble import assemble, render_prompt
from apps.agent.prompts.facts import Channel
from tests.agent.prompts.cast import bare, facts, mail

FORMATTING = {
    "slack": "SLACK FORMATTING:",
    "web": "MARKDOWN FORMATTING:",
    "api": "MARKDOWN FORMATTING:",
    "email": "RESPONSE FORMAT:",
}


@pytest.mark.parametrize("channel", list(FORMATTING))
def test_sections_stand_in_order(channel: Channel) -> None:
    prompt = render_prompt(facts(channel=channel, mail=mail() if channel == "email" else None))
    marks = [
        "You are Pilot, the voice of Harbour Works.",
        "\n\nIDENTITY:\n",
        "\n\nCOMMUNITY CONTEXT:\n",
        "\n\nBOOKINGS:\n",
        *(["\n\nCONTEXT:\n"] if channel == "email" else []),
        "\n\nSAVED PREFERENCES",
        "\n\nLONG-TERM MEMORY",
        "\n\nCAPABILITIES",
        "\n\nTOOL USAGE GUIDANCE:\n",
        "search_knowledge_base for general questions",
        "complete current list",
        "use request_human_intervention",
        "Use remember_user_preference immediately",
        "BATCH INDEPENDENT TOOL CALLS",
        "DO NOT FAN OUT WITH SYNONYMS",
        "DO NOT GUESS IDs",
        "fresh secure token on delivery",
        "MESSAGING RESTRICTION",
        "\n\nSECURE WEB PAGES",
        f"\n\n{FORMATTING[channel]}\n",
        "\n\nRESPONSE GUIDELINES:\n",
        "\n\nCurrent date and time: ",
        "\nYou are responding to: Dana (member)",
    ]
    places = [prompt.find(mark) for mark in marks]
    assert -1 not in places, marks[places.index(-1)]
    assert places == sorted(places)


def test_the_persona_opens_and_the_reader_closes() -> None:
    lines = render_prompt(facts()).split("\n")
    assert lines[0] == "You are Pilot, the voice of Harbour Works."
    assert lines[-2:] == [
        "Current date and time: Monday, March 2, 2026, 9:05 AM PST (America/Los_Angeles, UTC-08:00)",
        "You are responding to: Dana (member)",
    ]


def test_without_a_persona_the_first_line_is_the_fixed_one() -> None:
    assert render_prompt(bare()).startswith("You are an AI assistant for this community.\n\nIDENTITY:\n")


def test_without_a_name_the_date_is_the_last_line() -> None:
    last = render_prompt(bare(timezone="not/a zone")).split("\n")[-1]
    assert last == "Current date and time: Monday, March 2, 2026, 12:00 AM UTC (UTC, UTC+00:00)"


def test_the_agent_is_named_once() -> None:
    assert "Your name is Pilot." not in render_prompt(facts())
    assert "Your name is Pilot." in render_prompt(facts(persona="A quiet voice.")).split("\n")[0]


def test_layers_say_whose_words_they_are() -> None:
    origins = {layer.name: layer.origin for layer in assemble(facts())}
    assert origins["persona"] == "tenant"
    assert origins["manifest section 1"] == "manifest"
    assert origins["shared.saved_preferences"] == "person"
    assert origins["shared.conversation_memory"] == "person"
    assert origins["shared.capabilities_section"] == "tools"
    assert origins["knowledge routing"] == "default"
