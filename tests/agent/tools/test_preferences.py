"""The three preference tools: what the model gets back, and who is offered them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.agent.kernel.emptiness import tool_call_signals_empty
from apps.agent.kernel.schema import compile_check
from apps.agent.models import MemberPreference
from apps.agent.opening import prompt_facts
from apps.agent.prompts.assemble import render_prompt
from apps.agent.tools.declaration import ToolUse
from apps.agent.tools.surface import Surface, surface_for
from apps.integrations.person import ResolvedPerson
from apps.tenancy.models import Tenant
from tests.agent.people import known, stranger

NAMES = ("remember_user_preference", "list_user_preferences", "forget_user_preference")


def surface(person: ResolvedPerson, *, message: str = "hi", channel: Any = "web") -> Surface:
    return surface_for(person, channel=channel, message=message, integrations=())


def use(name: str, person: ResolvedPerson, **arguments: Any) -> dict[str, Any]:
    tool = next(tool for tool in surface(person).tools if tool.name == name)
    problem = compile_check(tool.parameters, tool=name)(arguments)
    if problem:
        return {"success": False, "error": problem}
    return tool.execute(arguments, ToolUse(invocation_id=uuid4(), report_progress=lambda _text: None))


@pytest.mark.usefixtures("in_tenant")
def test_remember_list_and_forget_in_a_row() -> None:
    assert use(NAMES[0], known(), instructions="Be brief.", preference_type=None)["data"]["status"] == "saved"
    use(
        NAMES[0],
        known(),
        instructions="Barn.",
        preference_type="nickname_alias",
        trigger_phrase="barn",
        canonical_value="Hall 4",
    )
    listed = use(NAMES[1], known())["data"]
    assert listed["count"] == 2
    assert [each["instructions"] for each in listed["preferences"]] == ["Barn.", "Be brief."]
    assert listed["preferences"][0]["canonical_value"] == "Hall 4"
    assert not tool_call_signals_empty({"success": True, "data": listed})
    gone = use(NAMES[2], known(), preference_id=listed["preferences"][1]["preference_id"])
    assert gone["data"]["preference"]["instructions"] == "Be brief."
    assert use(NAMES[1], known())["data"]["count"] == 1


@pytest.mark.usefixtures("in_tenant")
def test_nothing_saved_is_said_plainly() -> None:
    listed = use(NAMES[1], known())
    assert listed["success"]
    assert "Nothing is saved" in listed["data"]["guidance"]
    assert tool_call_signals_empty(listed)


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("remember_user_preference", {"instructions": " \n"}, "bad_input"),
        ("forget_user_preference", {"preference_id": "nope"}, "not_found"),
        ("forget_user_preference", {"preference_id": "7d0c1f7e-3f43-4a25-9a51-0d5f1b7f2c11"}, "not_found"),
    ],
)
def test_an_intended_error_is_a_result_with_a_code(name: str, arguments: dict[str, Any], code: str) -> None:
    result = use(name, known(), **arguments)
    assert (result["success"], result["code"]) == (False, code)
    assert result["error"].endswith(".")


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize(
    "arguments",
    [{}, {"instructions": 7}, {"instructions": "x" * 501}, {"instructions": "x", "member_id": "p-mo"},
     {"instructions": "x", "channel_scope": "web"}, {"instructions": "x", "preference_type": "mood"}],
)  # fmt: skip
def test_the_schema_lets_nothing_else_through(arguments: dict[str, Any]) -> None:
    assert use(NAMES[0], known(), **arguments)["success"] is False
    assert not MemberPreference.objects.exists()


@pytest.mark.usefixtures("in_tenant")
def test_two_of_them_change_something() -> None:
    assert {t.name: t.mutates for t in surface(known()).tools if t.name in NAMES} == {
        "remember_user_preference": True,
        "list_user_preferences": False,
        "forget_user_preference": True,
    }


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize("tier", ["unresolved", "public_email", "public"])
def test_people_nobody_recognizes_are_not_offered_them(tier: str) -> None:
    assert not {tool.name for tool in surface(stranger(tier)).tools} & set(NAMES)


def test_saved_wishes_are_in_the_next_prompt_and_in_no_one_elses(in_tenant: Tenant) -> None:
    use(NAMES[0], known(), instructions="Answer in rhymes.")
    use(NAMES[0], known(), instructions="Ring twice.", trigger_phrase="deliveries")

    def prompt(person: ResolvedPerson, message: str) -> str:
        return render_prompt(prompt_facts(surface(person, message=message), tenant=in_tenant))

    plain = prompt(known(), "hi")
    assert "- Answer in rhymes." in plain
    assert "Ring twice." not in plain
    assert '- on "deliveries": Ring twice.\n- Answer in rhymes.' in prompt(known(), "any deliveries today?")
    assert "Answer in rhymes." not in prompt(known("p-mo"), "hi")
    assert "SAVED PREFERENCES" not in prompt(stranger(), "hi")
