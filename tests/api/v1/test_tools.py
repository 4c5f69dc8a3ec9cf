"""The catalogue of tools, and one of them run for a person, over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from apps.agent.models import AgentToolCall
from apps.agent.tools.core import CORE_TOOLS
from apps.tenancy.context import tenant_context
from apps.tenancy.models import ApiRequestUsage, Tenant
from apps.tenancy.principals import PersonFacts, upsert
from tests.api.v1.conftest import Program
from tests.fakes.backend import Reply
from tests.plugins.community import Community

ADA = {"principal": {"email": "ada@harbour.example"}}
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def booked(tenant: Tenant) -> list[tuple[str, bool, str]]:
    with tenant_context(tenant):
        rows = ApiRequestUsage.objects.order_by("created_at")
        return [(row.surface, row.success, row.trace_id) for row in rows]


def test_the_catalogue_has_the_core_and_every_backend_with_their_gates(
    community: Community, program: Program
) -> None:
    status, body = program.get("/tools")
    assert status == 200
    tools = {tool["name"]: tool for tool in body["tools"]}
    assert tools.keys() == {*CORE_TOOLS, "search_members", "book_room", "close_house"}
    search = tools["search_knowledge_base"]
    assert (search["origin"], search["tiers"], search["read_only"], search["mutates"]) == (
        "core",
        None,
        True,
        False,
    )
    assert search["reserved_tiers"] == ["unresolved"]
    assert tools["who_knows"]["withheld_from"] == ["partner"]
    assert search["withheld_from"] == []
    assert tools["escalate_to_admin"]["reserved_tiers"] == ["public", "public_email", "unresolved"]
    assert tools["save_knowledge_entry"]["channels"] == ["slack"]
    assert tools["search_knowledge_base"]["available"]
    assert tools["search_current_events"]["parameters"]["properties"].keys() == {"query", "recency"}
    members = tools["search_members"]
    assert (members["provider"], members["tiers"], members["label"]) == (
        "house",
        ["member", "mentor"],
        "Looking through the directory",
    )
    assert members["parameters"]["required"] == ["query"]
    assert tools["close_house"]["admin_only"]
    assert tools["close_house"]["reserved_tiers"] == []


def test_what_this_installation_lacks_is_listed_as_not_available(
    community: Community, program: Program, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(
        update={"root_offline_model": True, "platform_base_url": None, "node_env": "production"}
    )
    tools = {tool["name"]: tool for tool in program.get("/tools")[1]["tools"]}
    assert {name for name, tool in tools.items() if not tool["available"]} == {
        "get_knowledge_page_link",
        "search_current_events",
    }
    status, _ = program.post(
        "/tools/get_knowledge_page_link/execute", {**ADA, "args": {"slug_or_url": "guests"}}
    )
    assert status == 404


def test_a_tool_is_run_for_a_person_and_booked(community: Community, program: Program) -> None:
    status, body = program.post("/tools/search_members/execute", {**ADA, "args": {"query": "pricing"}})
    assert status == 200
    assert body["result"]["success"]
    assert body["result"]["data"] == {"members": [{"name": "Ines Prado", "skill": "pricing"}]}
    assert body["images"] == []
    assert body["usage"] == {"llm_calls": 0, "tokens": 0, "cost_usd": 0.0}
    (call,) = community.backend.calls("POST /integration/tools/search_members")
    assert call.json["principal"]["ref"] == "p-ada"
    assert call.json["principal"]["is_admin"] is False
    assert booked(community.tenant) == [("rest_tool_execute", True, body["trace_id"])]


@pytest.mark.parametrize(
    "person", [{"ref": "p-ada"}, {"email": "Ada@Harbour.example"}, {"slack_user_id": "U0ADA"}]
)
def test_each_of_the_three_names_finds_the_person(
    community: Community, program: Program, person: dict[str, str]
) -> None:
    with tenant_context(community.tenant):
        upsert(PersonFacts(ref="p-ada", tier="member", email="ada@harbour.example", slack_user_id="U0ADA"))
    status, body = program.post(
        "/tools/search_knowledge_base/execute", {"principal": person, "args": {"query": "guests"}}
    )
    assert status == 200
    assert [each["slug"] for each in body["result"]["data"]["results"]] == ["guests"]


def test_a_failing_tool_is_an_answer_and_a_picture_stands_beside_the_data(
    community: Community, program: Program
) -> None:
    shown = {"name": "plan", "contentType": "image/png", "base64": base64.b64encode(PICTURE).decode()}
    community.backend.answer(
        "POST /integration/tools/search_members",
        Reply({"success": True, "data": {"odd": "a\u0000b \udcff"}, "images": [shown]}),
    )
    status, body = program.post("/tools/search_members/execute", {**ADA, "args": {"query": "x"}})
    assert status == 200
    assert "\u0000" not in body["result"]["data"]["odd"]
    assert body["images"] == [
        {"name": "plan", "content_type": "image/png", "base64": base64.b64encode(PICTURE).decode()}
    ]
    status, body = program.post("/tools/book_room/execute", {**ADA, "args": {"room": "Loft"}})
    assert status == 200
    assert (body["result"]["success"], body["result"]["error"]) == (False, "That room is taken.")
    assert [row[1] for row in booked(community.tenant)] == [True, False]


@pytest.mark.parametrize(
    ("tool", "email"),
    [
        ("close_house", "ada@harbour.example"),  # for admins
        ("save_knowledge_entry", "ada@harbour.example"),  # on Slack only
        ("book_room", "mo@harbour.example"),  # for members only
        ("who_knows", "lin@elsewhere.example"),  # withheld from partners
        ("search_members", "nobody@else.example"),
        ("no_such_tool", "ada@harbour.example"),
        ("%00", "ada@harbour.example"),
    ],
)
def test_what_a_person_is_not_offered_does_not_exist(
    community: Community, program: Program, tool: str, email: str
) -> None:
    status, body = program.post(f"/tools/{tool}/execute", {"principal": {"email": email}, "args": {}})
    assert (status, body["error"]["code"]) == (404, "not_found")


def test_admins_have_no_more_over_the_api(community: Community, program: Program) -> None:
    with tenant_context(community.tenant):
        upsert(PersonFacts(ref="p-boss", tier="member", is_admin=True))
    status, _ = program.post("/tools/close_house/execute", {"principal": {"ref": "p-boss"}})
    assert status == 404


def test_unknown_and_foreign_references_are_404(
    community: Community, other_tenant: Tenant, program: Program
) -> None:
    with tenant_context(other_tenant):
        upsert(PersonFacts(ref="p-theirs", tier="member"))
    for ref in ("p-theirs", "p-nobody", " "):
        status, body = program.post("/tools/who_knows/execute", {"principal": {"ref": ref}, "args": {}})
        assert (status, body["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"principal": {}},
        {"principal": {"ref": "p-ada", "email": "ada@harbour.example"}},
        {"principal": {"ref": "p-ada", "email": None}},
        {"principal": {"ref": None}},
        {"principal": {"ref": 5}},
        {"principal": {"ref": "a\u0000"}},
        {"principal": {"email": "no address"}},
        {"principal": {"slack_user_id": "someone"}},
        {**ADA, "args": []},
        {**ADA, "args": {"query": 5}},
        {**ADA, "args": {}},
        {**ADA, "args": {"query": "x", "more": 1}},
        {**ADA, "arguments": {"query": "x"}},
        b"{",
        b"[]",
        b"",
        b'{"principal": {"email": "ada@harbour.example"}, "args": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
    ],
)
def test_what_does_not_fit_is_400_with_a_sentence(community: Community, program: Program, body: Any) -> None:
    status, answer = program.post("/tools/search_members/execute", body)
    assert (status, answer["error"]["code"]) == (400, "bad_input")
    assert answer["error"]["message"]
    assert community.backend.calls("POST /integration/tools/search_members") == []


def test_the_same_key_books_one_room_once(community: Community, program: Program) -> None:
    community.backend.answer("POST /integration/tools/book_room", Reply({"success": True, "data": {"ok": 1}}))
    body = {**ADA, "args": {"room": "Loft"}}
    first = program.post("/tools/book_room/execute", body, **{"Idempotency-Key": "k-1"})
    again = program.post("/tools/book_room/execute", body, **{"Idempotency-Key": "k-1"})
    assert first == again
    assert first[0] == 200
    other = program.post(
        "/tools/book_room/execute", {**ADA, "args": {"room": "Attic"}}, **{"Idempotency-Key": "k-1"}
    )
    assert (other[0], other[1]["error"]["code"]) == (409, "conflict")
    assert len(community.backend.calls("POST /integration/tools/book_room")) == 1
    assert len(booked(community.tenant)) == 1
    with tenant_context(community.tenant):
        (row,) = AgentToolCall.objects.all()
    assert (row.state, row.success, row.outcome) == ("done", True, "ran")


def test_without_a_key_401(community: Community, program: Program) -> None:
    program.http.defaults.clear()
    assert program.http.get("/api/v1/tools", headers={"Authorization": ""}).status_code == 401
