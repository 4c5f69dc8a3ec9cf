"""A master prompt in somebody else's words is cut and filled like our own."""

from __future__ import annotations

from dataclasses import replace

from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.guidance import GuidanceLine
from apps.agent.prompts.registry import BASE
from apps.agent.prompts.wording import Wording, built_in_wording
from tests.agent.prompts.cast import bare, facts


def saying(base: str) -> Wording:
    return replace(built_in_wording(), defaults={BASE: base})


def test_a_blank_line_before_an_empty_slot_is_kept_for_what_follows() -> None:
    assert render_prompt(bare(), wording=saying("- a\n\n{{footer}}\n- b")) == "- a\n\n- b"


def test_many_blank_lines_become_one() -> None:
    assert render_prompt(bare(), wording=saying("a\n\n\n\n{{contextBlock}}\n\n\nb\n\n")) == "a\n\nb"


def test_without_a_date_an_addition_goes_last() -> None:
    wording = replace(saying("Rules for {{userName}}."), additions={BASE: "House rule."})
    assert render_prompt(facts(), wording=wording) == "Rules for Dana (member).\n\nHouse rule."


def test_a_key_the_import_leaves_out_keeps_its_own_text() -> None:
    assert render_prompt(facts(), wording=saying("{{footer}}")) == "You are responding to: Dana (member)"


def test_lines_come_from_the_wording() -> None:
    lines = {
        **built_in_wording().lines,
        "preference_tools": (GuidanceLine("mine", "who_knows", "- Mine {x}."),),
    }
    wording = replace(saying("{{preferenceToolGuidance}}"), lines=lines)
    assert render_prompt(facts(), wording=wording) == "- Mine {x}."
    assert render_prompt(bare(), wording=wording) == ""
