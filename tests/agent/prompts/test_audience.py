"""Which boundary text a person gets."""

from __future__ import annotations

import pytest

from apps.agent.prompts.assemble import render_prompt
from apps.agent.prompts.audience import tier_template
from apps.agent.prompts.facts import Channel
from tests.agent.prompts.cast import bare, facts

PUBLIC, LIMITED = "shared.public_tier_guidance", "shared.limited_tier_guidance"


@pytest.mark.parametrize(
    ("channel", "tier", "is_admin", "expected"),
    [
        ("slack", "member", False, None),
        ("slack", "unresolved", False, "slack.unresolved_guidance"),
        ("web", "unresolved", False, "chat.unresolved_guidance"),
        ("api", "", False, "chat.unresolved_guidance"),
        ("slack", "public", False, PUBLIC),
        ("email", "public_email", False, PUBLIC),
        ("api", "public", True, PUBLIC),
        ("email", "mentor", False, LIMITED),
        ("slack", "collaborator", False, LIMITED),
        ("slack", "staff", True, None),
    ],
)
def test_one_text_at_most(channel: Channel, tier: str, is_admin: bool, expected: str | None) -> None:
    assert tier_template(bare(channel=channel, tier=tier, is_admin=is_admin)) == expected


def test_the_communitys_own_default_tier_is_no_limited_one() -> None:
    assert tier_template(bare(tier="resident", default_tier="resident")) is None


def test_the_limited_text_names_the_tier() -> None:
    assert 'on a limited access tier ("friend")' in render_prompt(facts(tier="friend"))
