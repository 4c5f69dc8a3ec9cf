"""What the official client sees: six tools, what they answer, pages as resources, both kinds of connection."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from apps.knowledge.pages import save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.models import ApiRequestUsage, Tenant
from apps.tenancy.principals import PersonFacts, upsert
from tests.api.mcp.conftest import Door
from tests.channels.script import searching
from tests.fakes.backend import Reply
from tests.knowledge.slack_talk import embedded, say
from tests.plugins.community import Community

ANSWER = "Guests may come until ten (see Guests)."
ADA = {"principal_email": "ada@harbour.example"}
SIX = {"ask_agent", "list_tools", "call_tool", "search_knowledge", "search_slack", "who_knows"}
MODES = ("auto", "legacy", "2026-07-28")


def booked(tenant: Tenant) -> list[tuple[str, bool]]:
    with tenant_context(tenant):
        return [(row.surface, row.success) for row in ApiRequestUsage.objects.order_by("created_at")]


def fits(door: Door, tool: str, answer: Any) -> bool:
    """Is the structured content what the tool's own schema promises?"""

    async def listed(client: Client) -> Any:
        return {each.name: each for each in (await client.list_tools()).tools}[tool].output_schema

    return Draft202012Validator(door.talk(listed)).is_valid(answer.structured_content)


@pytest.mark.parametrize("mode", MODES)
def test_the_six_tools_are_listed_with_schemas_and_hints(door: Door, mode: str) -> None:
    async def listed(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in door.talk(listed, mode=mode)}
    assert tools.keys() == SIX
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        acts = tool.name in {"ask_agent", "call_tool"}
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (
            not acts,
            acts or None,
        )


@pytest.mark.parametrize("mode", MODES)
def test_the_agent_answers_for_a_person_and_goes_on_in_a_thread(
    community: Community, door: Door, mode: str
) -> None:
    community.llm.answer_with(searching(ANSWER))
    answer = door.call("ask_agent", mode=mode, message="May I bring a guest?", thread_key="t", **ADA)
    assert not answer.is_error
    assert answer.content[0].text == ANSWER
    told = answer.structured_content
    assert (told["response"], told["success"], told["thread_key"]) == (ANSWER, True, "api:p-ada:t")
    assert told["usage"]["llm_calls"] == 3
    assert fits(door, "ask_agent", answer)
    assert booked(community.tenant) == [("mcp_ask_agent", True)]


def test_a_tool_is_run_for_a_person_and_booked(community: Community, door: Door) -> None:
    answer = door.call("call_tool", name="search_members", arguments={"query": "pricing"}, **ADA)
    assert answer.structured_content["data"] == {"members": [{"name": "Ines Prado", "skill": "pricing"}]}
    assert fits(door, "call_tool", answer)
    failed = door.call("call_tool", name="book_room", arguments={"room": "Loft"}, **ADA)
    assert (failed.is_error, failed.structured_content["error"]) == (True, "That room is taken.")
    assert booked(community.tenant) == [("mcp_call_tool", True), ("mcp_call_tool", False)]


def test_tools_for_admins_are_neither_listed_nor_run(community: Community, door: Door) -> None:
    with tenant_context(community.tenant):
        upsert(PersonFacts(ref="p-boss", tier="member", is_admin=True, slack_user_id="U0BOSS"))
    boss = {"principal_slack_user_id": "U0BOSS"}
    for asked in ({}, ADA, boss):
        answer = door.call("list_tools", **asked)
        names = {tool["name"] for tool in answer.structured_content["tools"]}
        assert "close_house" not in names
        assert "search_knowledge_base" in names
        assert fits(door, "list_tools", answer)
    refused = door.call("call_tool", name="close_house", **boss)
    assert refused.is_error
    assert "no such tool" in refused.content[0].text


def test_the_searches_ask_no_model_and_show_what_members_may_see(community: Community, door: Door) -> None:
    with tenant_context(community.tenant):
        for tier in ("member", "mentor"):
            save_page(
                title=f"Guests of a {tier}",
                content_html="<p>Guests of theirs come early.</p>",
                audience_tiers=[tier],
            )
    community.llm.answer_with(lambda _request, _headers: pytest.fail("a model was asked"))
    found = door.call("search_knowledge", query="guests in the evening", limit=5)
    assert fits(door, "search_knowledge", found)
    slugs = {each["slug"] for each in found.structured_content["results"]}
    assert slugs == {"guests", "guests-of-a-member"}
    mentor = door.call("search_knowledge", query="guests", principal_email="mo@harbour.example")
    assert {each["slug"] for each in mentor.structured_content["results"]} == {"guests", "guests-of-a-mentor"}
    for tool, asked in (("search_slack", {"query": "kiln"}), ("who_knows", {"topic": "kiln"})):
        answer = door.call(tool, **asked)
        assert not answer.is_error
        assert answer.structured_content["status"] == "empty"
        assert fits(door, tool, answer)
        stranger = door.call(tool, **asked, principal_email="nobody@else.example")
        assert stranger.is_error
    assert booked(community.tenant) == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ask_agent", {"message": "Hi"}),
        ("ask_agent", {"message": " \u200b", **ADA}),
        ("ask_agent", {**ADA}),
        ("ask_agent", {"message": "Hi", "principal_email": "nobody"}),
        ("call_tool", {"name": "search_members", "arguments": {"query": "x"}}),
        ("call_tool", {"name": "search_members", "arguments": {"q": "x"}, **ADA}),
        ("call_tool", {"name": "../x", **ADA}),
        ("search_knowledge", {"query": "x", "limit": 51}),
        ("search_knowledge", {"query": "a\u0000b"}),
        ("search_slack", {"query": "x", "more": 1}),
        ("who_knows", {"topic": 5}),
    ],
)
def test_what_does_not_fit_is_told_to_the_clients_model(
    community: Community, door: Door, tool: str, arguments: dict[str, Any]
) -> None:
    answer = door.call(tool, **arguments)
    assert answer.is_error
    assert answer.content[0].text
    assert community.llm.chats == []
    assert community.backend.calls("POST /integration/tools/search_members") == []


def test_pages_are_resources_by_slug(community: Community, door: Door, other_tenant: Tenant) -> None:
    with tenant_context(community.tenant):
        save_page(
            title="Only mentors", slug="mentors", content_html="<p>Closed one.</p>", audience_tiers=["mentor"]
        )
        save_page(title="Räume & Wege", slug="räume", content_html="<p>Lofts and paths.</p>")
    with tenant_context(other_tenant):
        save_page(title="Theirs", slug="theirs", content_html="<p>Of the mill.</p>")

    async def reading(client: Any) -> Any:
        listed = (await client.list_resources()).resources
        read: list[Any] = [(await client.read_resource(each.uri)).contents[0] for each in listed]
        texts = [each.text for each in read]
        templates = (await client.list_resource_templates()).resource_templates
        for uri in ("kb://pages/mentors", "kb://pages/theirs", "kb://pages/none", "kb://pages/%00", "x:y"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        return [each.title for each in listed], texts, [each.uri_template for each in templates]

    titles, texts, templates = door.talk(reading)
    assert titles == ["Guests", "Räume & Wege"]
    assert "until ten" in texts[0]
    assert "Lofts" in texts[1]
    assert templates == ["kb://pages/{slug}"]


def test_many_pages_come_in_several_lists(community: Community, door: Door) -> None:
    with tenant_context(community.tenant):
        for number in range(120):
            save_page(title=f"Page {number:03}", content_html="<p>One of very many pages.</p>")

    async def reading(client: Client) -> Any:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        return [each.name for each in (*first.resources, *second.resources)], second.next_cursor

    names, more = door.talk(reading)
    assert len(names) == len(set(names)) == 121
    assert more is None


def test_an_unknown_tool_is_the_protocols_own_error(door: Door) -> None:
    async def calling(client: Client) -> None:
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("drop_everything", {})

    door.talk(calling)


def test_what_people_wrote_is_found_with_who_wrote_it(community: Community, door: Door) -> None:
    with tenant_context(community.tenant):
        say("The kiln is free on Tuesdays.", 1)
        embedded()
    found = door.call("search_slack", query="kiln").structured_content
    assert [(each["author"], each["text"]) for each in found["results"]] == [
        ("Ada Quist", "The kiln is free on Tuesdays.")
    ]
    people = door.call("who_knows", topic="kiln").structured_content
    assert [each["slack_user_id"] for each in people["results"]] == ["U0ADA"]
    assert people["results"][0]["evidence"][0]["permalink"].startswith("https://")


def test_a_picture_of_a_tool_is_content(community: Community, door: Door) -> None:
    import base64

    from tests.api.v1.test_tools import PICTURE

    shown = {"name": "plan", "contentType": "image/png", "base64": base64.b64encode(PICTURE).decode()}
    community.backend.answer(
        "POST /integration/tools/search_members", Reply({"success": True, "data": {}, "images": [shown]})
    )
    answer = door.call("call_tool", name="search_members", arguments={"query": "x"}, **ADA)
    assert [part.type for part in answer.content] == ["text", "image"]
    assert json.loads(answer.content[0].text)["success"]
