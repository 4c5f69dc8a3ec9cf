"""What is said about secure pages, by channel and link state."""

from __future__ import annotations

import pytest

from apps.agent.prompts.assemble import assemble, render_prompt
from apps.agent.prompts.facts import Channel, LinkState
from tests.agent.prompts.cast import facts, tools

GUIDE = "The public guide at https://guide.example/start"


@pytest.mark.parametrize(
    ("channel", "state", "key"),
    [
        ("slack", "available", "slack.root_link_guidance_available"),
        ("slack", "failed", "slack.root_link_guidance_issuance_failed"),
        ("slack", "not_private", "slack.root_link_guidance_public_channel"),
        ("slack", "unresolved", None),
        ("slack", "none", None),
        ("email", "available", "email.root_portal_guidance_available"),
        ("email", "failed", "email.root_portal_guidance_issuance_failed"),
        ("email", "unresolved", "email.root_portal_guidance_unresolved_member"),
        ("web", "available", "chat.root_link_guidance_available"),
        ("api", "failed", "chat.root_link_guidance_issuance_failed"),
        ("web", "unresolved", None),
    ],
)
def test_the_template(channel: Channel, state: LinkState, key: str | None) -> None:
    layers = assemble(facts(channel=channel, link_state=state))
    chosen = [layer.name for layer in layers if "root_link" in layer.name or "root_portal" in layer.name]
    assert chosen == ([key] if key else [])


def test_pages_are_listed_as_the_manifest_gives_them() -> None:
    assert "\n- /profile (Profile: edit your profile)\n" in render_prompt(facts())


@pytest.mark.parametrize("state", ["failed", "not_private"])
def test_the_guide_is_the_way_out_where_links_fail(state: LinkState) -> None:
    assert f" {GUIDE} is open to everyone" in render_prompt(facts(link_state=state))
    assert GUIDE not in render_prompt(facts(link_state=state, public_guide_url=""))
    assert GUIDE not in render_prompt(facts())


def test_without_pages_there_is_no_heading_for_them_but_knowledge_links_keep_their_rule() -> None:
    prompt = render_prompt(facts(pages=()))
    assert "SECURE WEB PAGES" not in prompt
    assert "one of the pages above" not in prompt
    assert "always call get_knowledge_page_link; never build the URL by hand" in prompt


@pytest.mark.parametrize("pages", [(), None])
@pytest.mark.parametrize("state", ["available", "failed", "not_private"])
def test_the_link_tool_is_named_only_where_it_is_there(state: LinkState, pages: tuple[()] | None) -> None:
    changes = {} if pages is None else {"pages": pages}
    with_tool = render_prompt(facts(link_state=state, **changes))
    without = render_prompt(facts(link_state=state, tools=tools("search_knowledge_base"), **changes))
    assert "get_knowledge_page_link" in with_tool
    assert "get_knowledge_page_link" not in without
