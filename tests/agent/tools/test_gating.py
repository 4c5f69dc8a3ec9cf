"""Who may use which tool, as tables (contract §5.2, §7.5)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.tools.gating import core_tools_for, knowledge_types_for, manifest_tool_allowed, spoken_to
from apps.integrations.rootint.manifest import AccessTier, ManifestTool
from apps.tenancy.tiers import manifest_tier_for

CORE = {
    "search_knowledge_base",
    "search_slack_messages",
    "who_knows",
    "search_current_events",
    "escalate_to_admin",
    "remember_user_preference",
}
READS = {
    "search_knowledge_base",
    "search_slack_messages",
    "who_knows",
    "search_current_events",
    "escalate_to_admin",
}


def tier(
    name: str, *, tools: set[str] | None = None, types: set[str] | None = None, whole: bool = True
) -> AccessTier:
    return AccessTier(
        name=name,
        core_tools=None if tools is None else frozenset(tools),
        knowledge_source_types=None if types is None else frozenset(types),
        declared_as_object=whole,
    )


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("slack", "member"),
        ("email", "member"),
        ("api", "member"),
        ("member", "member"),
        ("email_mentor", "mentor"),
        ("mentor", "mentor"),
        ("unresolved_slack_user", "unresolved"),
        ("unresolved", "unresolved"),
        ("public_email", "public"),
        ("public", "public"),
        ("alumni", "alumni"),
        ("", ""),
        (None, "unresolved"),
    ],
)
def test_access_levels_map_to_tiers(level: str | None, expected: str) -> None:
    assert manifest_tier_for(level) == expected


@pytest.mark.parametrize(
    ("who", "declared", "expected"),
    [
        ("member", [], CORE),
        ("alumni", [], CORE),
        ("unresolved", [], READS),
        ("unresolved", [tier("unresolved", tools={"who_knows"})], {"who_knows"}),
        ("partner", [tier("partner", tools={"search_knowledge_base"})], {"search_knowledge_base"}),
        ("partner", [tier("partner", tools=set())], set()),
        ("partner", [tier("partner", tools={"not_a_tool"})], set()),
        ("partner", [tier("partner")], CORE),
        ("partner", [tier("member", tools={"who_knows"})], CORE),
        (
            "partner",
            [tier("partner", tools={"who_knows", "escalate_to_admin"}), tier("partner", tools={"who_knows"})],
            {"who_knows"},
        ),
        ("public", [], {"escalate_to_admin"}),
        (
            "public",
            [tier("public", tools=CORE, types={"manual"})],
            {"escalate_to_admin", "search_knowledge_base"},
        ),
        ("public", [tier("public", tools=CORE)], {"escalate_to_admin"}),
        ("public", [tier("public", tools=CORE, types=set())], {"escalate_to_admin"}),
        ("public", [tier("public", tools={"who_knows"}, types={"manual"})], {"escalate_to_admin"}),
        ("public", [tier("public", tools=CORE, types={"manual"}, whole=False)], {"escalate_to_admin"}),
    ],
)
def test_core_tools_of_a_tier(who: str, declared: list[AccessTier], expected: set[str]) -> None:
    assert core_tools_for(who, core=CORE, declared=declared) == expected


@pytest.mark.parametrize(
    ("who", "declared", "expected"),
    [
        ("member", [], None),
        ("partner", [tier("partner", types={"url", "manual"})], {"url", "manual"}),
        ("partner", [tier("partner", types={"url", "manual"}), tier("partner", types={"url"})], {"url"}),
        ("partner", [tier("partner", types=set())], set()),
        ("public", [], set()),
        ("public", [tier("public", tools=CORE, types={"manual"})], {"manual"}),
        ("public", [tier("public", tools={"who_knows"}, types={"manual"})], set()),
    ],
)
def test_source_types_a_tier_may_search(
    who: str, declared: list[AccessTier], expected: set[str] | None
) -> None:
    assert knowledge_types_for(who, declared=declared) == expected


def offered(**more: Any) -> ManifestTool:
    return ManifestTool(name="t", description="d", parameters={}, **more)


NAMED = {"member", "mentor", "alumni"}
ADMINS = frozenset({"__admin__"})


@pytest.mark.parametrize(
    ("tool", "channel", "who", "admin", "allowed"),
    [
        (offered(), "slack", "member", False, True),
        (offered(), "web", "alumni", False, True),
        (offered(), "web", "stranger", False, False),
        (offered(), "web", "unresolved", False, False),
        (offered(), "email", "public", False, False),
        (offered(), "slack", "unresolved", True, False),
        (offered(channels=frozenset({"slack"})), "slack", "member", False, True),
        (offered(channels=frozenset({"slack"})), "web", "member", False, False),
        (offered(channels=frozenset()), "web", "member", False, False),
        (offered(tiers=frozenset({"mentor"})), "web", "member", False, False),
        (offered(tiers=frozenset({"mentor"})), "web", "mentor", False, True),
        (offered(tiers=frozenset()), "web", "member", True, False),
        (offered(tiers=ADMINS), "web", "member", False, False),
        (offered(tiers=ADMINS), "slack", "member", True, True),
        (offered(tiers=ADMINS), "web", "__admin__", False, False),
        (offered(tiers=frozenset({"mentor"})), "slack", "member", True, False),
        (offered(admin_only=True), "slack", "member", False, False),
        (offered(admin_only=True), "slack", "member", True, True),
        (offered(admin_only=True, tiers=frozenset({"mentor"})), "slack", "mentor", False, False),
        (offered(tiers=frozenset({"public"})), "email", "public", False, True),
        (offered(tiers=frozenset({"public_email"})), "email", "public", False, True),
        (offered(tiers=frozenset({"public_email"})), "web", "member", False, False),
        (offered(tiers=frozenset({"unresolved"})), "slack", "unresolved", False, True),
    ],
)
def test_backend_tools(tool: ManifestTool, channel: str, who: str, admin: bool, allowed: bool) -> None:
    assert (
        manifest_tool_allowed(tool, channel=channel, tier=who, is_admin=admin, named_tiers=NAMED) is allowed
    )


@pytest.mark.parametrize(
    ("channels", "tiers", "who", "admin", "spoken"),
    [
        (None, None, "unresolved", False, True),
        (frozenset({"slack"}), None, "member", False, False),
        (None, frozenset({"mentor"}), "member", False, False),
        (None, frozenset({"mentor"}), "mentor", False, True),
        (None, ADMINS, "member", True, True),
        (None, ADMINS, "member", False, False),
    ],
)
def test_prompt_sections(
    channels: frozenset[str] | None, tiers: frozenset[str] | None, who: str, admin: bool, spoken: bool
) -> None:
    assert spoken_to(channels, tiers, channel="web", tier=who, is_admin=admin) is spoken
