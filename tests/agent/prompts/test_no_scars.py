"""Whatever is missing, the prompt shows no hole where it would have been."""

from __future__ import annotations

import itertools
import re

import pytest

from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.facts import Channel
from tests.agent.prompts.cast import EVERY_TOOL, READ_TOOLS, bare, facts, mail, tools

CHANNELS: list[Channel] = ["slack", "web", "api", "email"]
TIERS = ["member", "unresolved", "public", "public_email", "mentor", ""]
SURFACES = [(), ("escalate_to_admin",), READ_TOOLS, EVERY_TOOL]
SCARS = {
    "an unfilled placeholder": r"\{\{|\{[A-Za-z]",
    "two blank lines": r"\n\s*\n\s*\n",
    "a heading without a body": r":\n\n|:\Z",
    "a heading under a heading": r"(?m)^[A-Z][A-Z ]+:\n[A-Z][A-Z ]+:$",
    "empty brackets": r"\(\)|\(\"\"\)|<@>|\"\"",
    "two spaces in a row": r"\S  +\S",
    "a bare bullet": r"(?m)^\s*[-•]\s*$",
    "a space at the end of a line": r"[ \t]\n",
    "the word None": r"\bNone\b",
}


def scars(prompt: str) -> list[str]:
    return [name for name, pattern in SCARS.items() if re.search(pattern, prompt)]


@pytest.mark.parametrize(("channel", "tier"), list(itertools.product(CHANNELS, TIERS)))
@pytest.mark.parametrize("surface", SURFACES, ids=len)
def test_full_and_bare_turns(channel: Channel, tier: str, surface: tuple[str, ...]) -> None:
    for build in (facts, bare):
        assert scars(render_prompt(build(channel=channel, tier=tier, tools=tools(*surface)))) == []


OPTIONAL: dict[str, object] = {
    "user_name": "",
    "persona": "",
    "community_context": " \n ",
    "manifest_sections": ("", "  \n"),
    "pages": (),
    "public_guide_url": "",
    "bot_user_id": "",
    "preferences": ("", " "),
    "memory": "\n",
    "agent_name": "",
    "character": "Speak like a harbour pilot.",
    "link_state": "failed",
    "is_dm": False,
    "is_admin": True,
}


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("missing", list(itertools.combinations(OPTIONAL, 2)))
def test_any_two_things_missing(channel: Channel, missing: tuple[str, ...]) -> None:
    assert scars(render_prompt(facts(channel=channel, **{name: OPTIONAL[name] for name in missing}))) == []


@pytest.mark.parametrize(
    "letter",
    [
        mail(),
        mail(account=None),
        mail(delegation_reason="", participants=()),
        mail(sender_name="", sender_email="", participants=("", " ")),
        mail(delegation_reason=""),
    ],
)
def test_mail_with_parts_missing(letter: object) -> None:
    assert scars(render_prompt(facts(channel="email", mail=letter))) == []


def test_the_detector_sees_scars() -> None:
    broken = "HEAD:\nNEXT:\n\n\n\nx {{y}} () None  two \n- \nend"
    assert scars(broken) == list(SCARS)
