"""A playbook that says everything differently is what the model gets, from the first request to the last."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.agent.prompts import store
from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.facts import ToolFact
from apps.agent.prompts.guidance import built_in_lines
from apps.agent.prompts.registry import BASE, prompts
from tests.agent.playbook.files import exported, imported
from tests.agent.playbook.rewording import reworded
from tests.agent.prompts.cast import EVERY_TOOL, facts, mail

# Labels of the facts themselves are code, like the date's form; a playbook has the texts around them.
LABEL_OF_A_FACT = "What is known about this account"
SENTENCE = re.compile(r"[^\W\d_]{3,}(?: [^\W\d_]{2,}){5,}")


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize("channel", ["slack", "email", "web", "api"])
@pytest.mark.parametrize("tier", ["member", "partner", "unresolved", "public"])
def test_no_sentence_of_ours_is_left(tmp_path: Path, channel: str, tier: str) -> None:
    book = reworded(exported(tmp_path))
    assert "warning" not in imported(tmp_path, book)
    tools = tuple(ToolFact(name=name, capability=name) for name in EVERY_TOOL if name != "search_companies")
    turn = facts(channel=channel, tier=tier, tools=tools, mail=mail() if channel == "email" else None)
    ours, theirs = render_prompt(turn), render_prompt(turn, wording=store.wording())
    said = set(SENTENCE.findall(ours)) & set(SENTENCE.findall(theirs))
    given = " ".join(
        [
            LABEL_OF_A_FACT,
            turn.persona,
            turn.community_context,
            *turn.manifest_sections,
            turn.pages[0].summary,
        ]
    )
    assert {sentence for sentence in said if sentence not in given} == set()
    assert f"<{BASE}>" in theirs
    assert "{" not in theirs
    assert "\n\n\n" not in theirs


@pytest.mark.usefixtures("in_tenant")
def test_every_text_is_another_one(tmp_path: Path) -> None:
    imported(tmp_path, reworded(exported(tmp_path)))
    now = store.wording()
    assert [key for key, entry in prompts().items() if now.default(key) == entry.default] == []
    assert all(now.lines[builder] != own for builder, own in built_in_lines().items())
    assert [getattr(now.phases, n)[:7] for n in ("planning", "last_planning", "answer")] == ["<phase "] * 3
