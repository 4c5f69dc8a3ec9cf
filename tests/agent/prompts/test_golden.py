"""Whole prompts as a model reads them: nothing about them changes unseen."""

from __future__ import annotations

import pytest

from tests.agent.prompts.golden_cases import CASES, GOLDEN, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_prompt_is_as_it_was_read_last(case: Case) -> None:
    assert case.rendered() == case.file.read_text(encoding="utf-8"), (
        "If the change is meant: scripts/golden_prompts, then read the difference as a whole."
    )


def test_there_is_no_file_without_a_case() -> None:
    assert {file.name for file in GOLDEN.iterdir()} == {case.file.name for case in CASES}


def test_every_kind_of_channel_tier_and_link_state_is_there() -> None:
    assert {case.channel for case in CASES} == {"slack_dm", "slack_channel", "email", "web", "api"}
    assert {case.tier for case in CASES} == {"member", "admin", "limited", "unresolved", "public"}
    assert {case.links for case in CASES} == {"available", "failed", "not_private", "unresolved", "none"}
