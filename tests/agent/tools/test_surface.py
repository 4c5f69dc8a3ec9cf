"""From a manifest to what one person is offered on one channel, as tables (contract §5.2, §7.4, §7.5)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.agent.tools.core import CORE_TOOLS
from apps.agent.tools.surface import Surface, surface_for
from apps.integrations.person import ResolvedPerson
from apps.integrations.rootint.manifest import parse_manifest
from apps.integrations.rootint.overrides import apply_overrides
from apps.integrations.rootint.registry import ActiveIntegration

CORE = set(CORE_TOOLS)
READS = {
    "search_knowledge_base",
    "search_slack_messages",
    "who_knows",
    "search_current_events",
    "escalate_to_admin",
}
PUBLIC = {"escalate_to_admin"} & CORE
CHANNELS = ("slack", "email", "web", "api")
TIERS = ("member", "mentor", "alumni", "staff", "unresolved", "public")


def backend(
    *tools: dict[str, Any], tiers: Any = (), overrides: Any = None, sections: Any = (), name: str = "house"
) -> ActiveIntegration:
    raw = {
        "protocol": "root-int/1",
        "access_tiers": list(tiers),
        "prompt_sections": list(sections),
        "tools": [{"description": "Does something.", **tool} for tool in tools],
    }
    return ActiveIntegration(
        id=uuid4(), name=name, manifest=apply_overrides(parse_manifest(raw), overrides or {})
    )


def surface(
    *integrations: ActiveIntegration, level: str = "member", channel: Any = "slack", admin: bool = False
) -> Surface:
    person = ResolvedPerson(
        principal=None, ref="p-1", display_name="Ada", tier=level, access_level=level, is_admin=admin
    )
    return surface_for(person, channel=channel, message="hi", integrations=integrations)


def names(*integrations: ActiveIntegration, **who: Any) -> set[str]:
    return {tool.name for tool in surface(*integrations, **who).tools}


def offered(tool: dict[str, Any], *, tiers: Any = ("alumni",), overrides: Any = None, **who: Any) -> bool:
    return "t" in names(backend({"name": "t", **tool}, tiers=tiers, overrides=overrides), **who)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("member", CORE), ("slack", CORE), ("email", CORE), ("api", CORE), ("mentor", CORE),
        ("email_mentor", CORE), ("alumni", CORE),
        ("unresolved", READS & CORE), ("unresolved_slack_user", READS & CORE),
        ("public", PUBLIC), ("public_email", PUBLIC),
    ],
)  # fmt: skip
def test_core_tools_by_access_level(level: str, expected: set[str], channel: str) -> None:
    kept = {name for name in expected if _on(name, channel)}
    assert names(level=level, channel=channel) == kept


def _on(name: str, channel: str) -> bool:
    whole = surface(level="member", channel=channel)
    return name in {tool.name for tool in whole.tools}


@pytest.mark.parametrize("level", ["member", "mentor", "alumni", "unresolved", "staff"])
@pytest.mark.parametrize(
    "allowed", [[], ["search_knowledge_base"], ["list_user_preferences"], ["not_a_tool"], sorted(CORE)]
)
def test_an_allowlist_is_exact_whatever_it_leaves_out(level: str, allowed: list[str]) -> None:
    declared = backend(tiers=[{"name": level, "core_tools": allowed}])
    assert names(declared, level=level) == set(allowed) & names(level="member")
    other = "member" if level != "member" else "mentor"
    assert names(declared, level=other) == names(level=other)


@pytest.mark.parametrize("level", ["public", "public_email"])
@pytest.mark.parametrize(
    ("declared", "searches"),
    [
        (
            {"name": "public", "core_tools": ["search_knowledge_base"], "knowledge_source_types": ["manual"]},
            True,
        ),
        ({"name": "public", "core_tools": sorted(CORE), "knowledge_source_types": ["manual"]}, True),
        ({"name": "public", "core_tools": ["search_knowledge_base"], "knowledge_source_types": []}, False),
        ({"name": "public", "core_tools": ["search_knowledge_base"]}, False),
        ({"name": "public", "core_tools": ["who_knows"], "knowledge_source_types": ["manual"]}, False),
        ({"name": "public", "knowledge_source_types": ["manual"]}, False),
        ("public", False),
        (
            {"name": "member", "core_tools": ["search_knowledge_base"], "knowledge_source_types": ["manual"]},
            False,
        ),
    ],
)
def test_the_public_gets_scoped_search_or_nothing_more(level: str, declared: Any, searches: bool) -> None:
    shown = surface(backend(tiers=[declared]), level=level, channel="email")
    expected = PUBLIC | {"search_knowledge_base"} if searches else PUBLIC
    assert {tool.name for tool in shown.tools} == expected
    assert shown.asker.audience.source_types == (frozenset({"manual"}) if searches else frozenset())


@pytest.mark.parametrize("level", TIERS)
def test_without_tiers_a_tool_is_for_members_and_every_named_tier(level: str) -> None:
    assert offered({}, level=level) is (level in {"member", "alumni"})


@pytest.mark.parametrize("level", TIERS)
@pytest.mark.parametrize("admin", [True, False])
def test_an_empty_list_is_for_nobody(level: str, admin: bool) -> None:
    assert not offered({"tiers": []}, level=level, admin=admin)


@pytest.mark.parametrize("level", TIERS)
@pytest.mark.parametrize("named", TIERS)
def test_named_tiers_are_exact_and_reserved_ones_may_be_named(level: str, named: str) -> None:
    assert offered({"tiers": [named]}, level=level) is (level == named)


def test_a_named_public_address_is_the_public() -> None:
    for named in ("public", "public_email"):
        assert offered({"tiers": [named]}, level="public_email", channel="email")
        assert not offered({"tiers": [named]}, level="unresolved", channel="email")


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("named", [["slack"], ["email", "api"], ["web"], []])
def test_channels_of_a_tool(channel: str, named: list[str]) -> None:
    assert offered({"channels": named}, channel=channel) is (channel in named)


@pytest.mark.parametrize(
    ("tool", "channel", "admin", "expected"),
    [
        ({"tiers": ["__admin__"]}, "slack", True, True),
        ({"tiers": ["__admin__"]}, "email", True, True),
        ({"tiers": ["__admin__"]}, "api", True, False),
        ({"tiers": ["__admin__"]}, "web", True, False),
        ({"tiers": ["__admin__"]}, "slack", False, False),
        ({"tiers": ["mentor", "__admin__"]}, "slack", True, True),
        ({"tiers": ["mentor"]}, "slack", True, False),
        ({"admin_only": True}, "slack", True, True),
        ({"admin_only": True}, "slack", False, False),
        ({"admin_only": True}, "api", True, False),
        ({"admin_only": True}, "web", True, False),
        ({"admin_only": True, "tiers": ["mentor"]}, "slack", True, False),
        ({"admin_only": True, "tiers": ["__admin__"], "channels": ["email"]}, "slack", True, False),
    ],
)
def test_administrators(tool: dict[str, Any], channel: str, admin: bool, expected: bool) -> None:
    assert offered(tool, channel=channel, admin=admin) is expected


@pytest.mark.parametrize("channel", ["api", "web"])
def test_a_program_is_never_an_administrator(channel: str) -> None:
    shown = surface(channel=channel, admin=True)
    assert not shown.asker.is_admin
    assert not shown.asker.audience.is_admin


@pytest.mark.parametrize("level", ["unresolved", "public"])
def test_being_an_administrator_opens_nothing_to_a_reserved_tier_without_a_word_for_it(level: str) -> None:
    assert not offered({}, level=level, admin=True)


@pytest.mark.parametrize(
    ("tool", "override", "who", "expected"),
    [
        ({}, {"removed": True}, {}, False),
        ({}, {"removed": False}, {}, True),
        ({}, {"channels": ["email"]}, {}, False),
        ({"channels": ["email"]}, {"channels": ["slack"]}, {}, True),
        ({}, {"tiers": ["mentor"]}, {}, False),
        ({"tiers": ["mentor"]}, {"tiers": ["member"]}, {}, True),
        ({}, {"tiers": []}, {}, False),
        ({}, {"admin_only": True}, {}, False),
        ({}, {"admin_only": True}, {"admin": True}, True),
        ({"admin_only": True}, {"admin_only": False}, {}, True),
        ({}, {"tiers": ["__admin__"]}, {"admin": True}, True),
        ({}, {"tiers": ["__admin__"]}, {"admin": True, "channel": "api"}, False),
        ({}, {"tiers": "mentor"}, {}, False),
        ({}, ["removed"], {}, False),
        ({}, {"admin_only": "yes"}, {"admin": True}, False),
    ],
)
def test_overrides_come_before_gating(
    tool: dict[str, Any], override: Any, who: dict[str, Any], expected: bool
) -> None:
    assert offered(tool, overrides={"t": override}, **who) is expected


def test_an_override_of_another_tool_changes_nothing_here() -> None:
    assert offered({}, overrides={"u": {"removed": True}})


def test_core_names_win_then_the_first_backend() -> None:
    first = backend({"name": "search_knowledge_base"}, {"name": "t", "description": "First."}, name="first")
    second = backend({"name": "t", "description": "Second."}, {"name": "u"}, name="second")
    tools = surface(first, second).tools
    assert len({tool.name for tool in tools}) == len(tools)
    by_name = {tool.name: tool for tool in tools}
    assert by_name["search_knowledge_base"].origin == "core"
    assert (by_name["t"].provider, by_name["u"].provider) == ("first", "second")
    assert [tool.origin for tool in tools] == sorted(
        (tool.origin for tool in tools), key=["core", "integration"].index
    )


def test_a_tier_one_backend_names_counts_for_the_tools_of_another() -> None:
    assert "t" in names(backend({"name": "t"}), backend(tiers=["alumni"], name="second"), level="alumni")
    assert "t" not in names(backend({"name": "t"}), level="alumni")


@pytest.mark.parametrize(
    ("section", "who", "heard"),
    [
        ({}, {}, True),
        ({"channels": ["email"]}, {}, False),
        ({"tiers": ["mentor"]}, {}, False),
        ({"tiers": ["mentor"]}, {"level": "email_mentor"}, True),
        ({"tiers": ["__admin__"]}, {"admin": True}, True),
        ({"tiers": ["__admin__"]}, {"admin": True, "channel": "web"}, False),
        ({"tiers": []}, {"admin": True}, False),
        ({"tiers": ["public_email"]}, {"level": "public_email"}, True),
    ],
)
def test_prompt_sections(section: dict[str, Any], who: dict[str, Any], heard: bool) -> None:
    shown = surface(backend(sections=[{"content": "Closed on Sundays.", **section}]), **who)
    assert [each.content for each in shown.prompt_sections] == (["Closed on Sundays."] if heard else [])
