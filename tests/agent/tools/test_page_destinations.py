"""A backend's pages in the prompt: for whom, where, and what is said about their links (contract §7.5, §A.4)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.opening import link_state, prompt_facts
from apps.agent.tools.surface import Surface, surface_for
from apps.integrations.models import Integration
from apps.integrations.rootint.manifest import parse_manifest
from apps.integrations.rootint.registry import ActiveIntegration
from apps.tenancy.models import Tenant
from tests.agent.asking import ask
from tests.agent.people import known, stranger
from tests.fakes.backend import Reply
from tests.fakes.llm import says
from tests.plugins.community import MANIFEST, Community

PAGES: list[dict[str, Any]] = [
    {"destination": "all", "path": "/all"},
    {"destination": "members", "path": "/members", "tiers": ["member"]},
    {"destination": "admins", "path": "/admins", "tiers": ["__admin__"]},
    {"destination": "slack", "path": "/slack", "channels": ["slack"]},
    {"destination": "nobody", "path": "/nobody", "tiers": []},
    {"destination": "again", "path": "/all", "title": "A second one"},
]


def surface(person: Any, *, channel: Any, slack_channel_id: str | None = None) -> Surface:
    manifest = parse_manifest({"protocol": "root-int/1", "link_destination_details": PAGES})
    backend = ActiveIntegration(id=Integration().pk, name="house", manifest=manifest)
    return surface_for(
        person, channel=channel, message="hi", integrations=[backend], slack_channel_id=slack_channel_id
    )


@pytest.mark.parametrize(
    ("tier", "is_admin", "channel", "shown"),
    [
        ("member", False, "web", {"/all", "/members"}),
        ("member", False, "slack", {"/all", "/members", "/slack"}),
        ("mentor", False, "email", {"/all"}),
        ("mentor", True, "slack", {"/all", "/admins", "/slack"}),
        ("mentor", True, "web", {"/all"}),
        ("unresolved", False, "email", {"/all"}),
    ],
)
def test_pages_follow_channel_and_tier(
    in_tenant: Tenant, tier: str, is_admin: bool, channel: str, shown: set[str]
) -> None:
    person = known(tier=tier, is_admin=is_admin, channel=channel)
    listed = prompt_facts(surface(person, channel=channel), tenant=in_tenant).pages
    assert {page.path for page in listed} == shown and len(listed) == len(shown)


@pytest.mark.parametrize(
    ("channel", "slack_channel", "resolved", "issued", "state"),
    [
        ("web", None, True, True, "available"),
        ("web", None, True, False, "failed"),
        ("web", None, False, True, "unresolved"),
        ("email", None, True, True, "available"),
        ("email", None, False, True, "unresolved"),
        ("slack", "D1", True, True, "available"),
        ("slack", "C1", True, True, "not_private"),
        ("slack", "C1", False, True, "not_private"),
    ],
)
def test_no_link_is_promised_that_nobody_could_open(
    in_tenant: Tenant, channel: str, slack_channel: str | None, resolved: bool, issued: bool, state: str
) -> None:
    person = known(channel=channel) if resolved else stranger()
    here = surface(person, channel=channel, slack_channel_id=slack_channel)
    assert link_state(here, issues_links=issued) == state


def test_a_turn_lists_them_and_says_that_links_cannot_be_had_yet(community: Community) -> None:
    from apps.foundation import ttl_cache

    page = {"destination": "desk", "title": "My desk", "path": "/my/desk", "prompt_summary": "move your desk"}
    community.backend.answer(
        "GET /integration/manifest", Reply(MANIFEST | {"link_destination_details": [page]})
    )
    ttl_cache.clear_all()
    community.llm.reply(says("Hello."))
    ask(community)
    prompt = community.llm.chats[0].text
    assert "- /my/desk (My desk: move your desk)" in prompt and "WEB LINKS UNAVAILABLE" in prompt
