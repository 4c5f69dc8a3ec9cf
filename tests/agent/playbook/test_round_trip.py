"""Export, import, export: the same file, whatever was in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.agent.models import RootPromptVersion
from apps.agent.prompts import store
from apps.agent.prompts.platform import platform_wording
from apps.agent.prompts.registry import prompts
from apps.agent.prompts.wording import built_in_wording
from apps.foundation import ttl_cache
from apps.tenancy.context import tenant_context
from apps.tenancy.models import PlatformSetting, Tenant
from tests.agent.playbook.files import exported, exported_text, imported


@pytest.mark.usefixtures("db")
def test_out_of_the_box_it_holds_every_text_and_goes_back_without_a_trace(tmp_path: Path) -> None:
    text = exported_text(tmp_path)
    book = exported(tmp_path)
    assert list(book) == ["version", "defaults", "lines", "phases", "additions"]
    assert list(book["defaults"]) == list(prompts())
    assert list(book["phases"]) == ["planning", "last_planning", "answer"]
    assert "Changed: texts 0, builders 0, phases 0, additions 0." in imported(tmp_path, text)
    assert not PlatformSetting.objects.exists()
    assert exported_text(tmp_path) == text


def test_with_changes_of_every_kind(tmp_path: Path, tenant: Tenant, other_tenant: Tenant) -> None:
    for each, words in ((tenant, "- Häfen 🚢.\n\n- {{footer}}"), (other_tenant, "- \\ \" ' </x>")):
        with tenant_context(each):
            store.save_addition("slack.policies_addendum", words, saved_by="ana")
    book = exported(tmp_path)
    book["defaults"]["slack.footer"] = "  For: {{ userName }}  "
    book["lines"]["preference_tools"].reverse()
    book["lines"]["preference_tools"][0]["when"] = "  !a|b   set_auto_reply_preference "
    book["phases"]["planning"] = "Round {{ round }} of {{mostRounds}} — {braces} stay."
    imported(tmp_path, book)
    first = exported_text(tmp_path)
    ttl_cache.clear_all()
    imported(tmp_path, first)
    assert exported_text(tmp_path) == first
    assert exported(tmp_path)["additions"] == {
        tenant.slug: {"slack.policies_addendum": "- Häfen 🚢.\n\n- {{footer}}"},
        other_tenant.slug: {"slack.policies_addendum": "- \\ \" ' </x>"},
    }


def test_one_community_alone(tmp_path: Path, tenant: Tenant, other_tenant: Tenant) -> None:
    for each in (tenant, other_tenant):
        with tenant_context(each):
            store.save_addition("slack.footer", f"- {each.slug}", saved_by="ana")
    text = exported_text(tmp_path, "--tenant", tenant.slug)
    assert exported(tmp_path, "--tenant", tenant.slug) == {
        "version": 1,
        "additions": {tenant.slug: {"slack.footer": "- harbour"}},
    }
    with tenant_context(tenant):
        store.save_addition("slack.footer", "- changed", saved_by="ana")
        store.save_addition("email.identity_addendum", "- new", saved_by="ana")
    assert "additions 2." in imported(tmp_path, text, "--tenant", tenant.slug)
    assert exported_text(tmp_path, "--tenant", tenant.slug) == text
    with tenant_context(other_tenant):
        assert store.additions() == {"slack.footer": "- mill"}


def test_a_community_without_additions_goes_out_and_in_too(tmp_path: Path, tenant: Tenant) -> None:
    text = exported_text(tmp_path, "--tenant", tenant.slug)
    assert "additions 0." in imported(tmp_path, text)
    assert exported_text(tmp_path, "--tenant", tenant.slug) == text


def test_only_what_changes_becomes_a_version(tmp_path: Path, tenant: Tenant) -> None:
    book = {
        "version": 1,
        "additions": {tenant.slug: {"slack.footer": "- a", "chat.unresolved_guidance": "- b"}},
    }
    imported(tmp_path, book)
    imported(tmp_path, book)
    book["additions"] = {tenant.slug: {"slack.footer": "- a2"}}
    imported(tmp_path, book)
    with tenant_context(tenant):
        kept = [(v.key, v.content, v.saved_by) for v in RootPromptVersion.objects.order_by("saved_at")]
    assert sorted(kept) == sorted(
        [
            ("slack.footer", "- a", "playbook import"),
            ("chat.unresolved_guidance", "- b", "playbook import"),
            ("slack.footer", "- a2", "playbook import"),
            ("chat.unresolved_guidance", "", "playbook import"),
        ]
    )


@pytest.mark.usefixtures("db")
def test_a_section_takes_the_place_of_its_section_and_of_no_other(tmp_path: Path) -> None:
    imported(
        tmp_path, {"version": 1, "defaults": {"slack.footer": "A {{userName}}"}, "phases": {"answer": "B"}}
    )
    imported(tmp_path, {"version": 1, "defaults": {"slack.policies_addendum": "- C"}})
    now, own = platform_wording(), built_in_wording()
    assert now.default("slack.footer") == own.default("slack.footer")
    assert now.default("slack.policies_addendum") == "- C"
    assert now.phases.answer == "B"
    assert now.phases.planning == own.phases.planning
    imported(tmp_path, {"version": 1, "defaults": {}, "phases": {}})
    assert not PlatformSetting.objects.exists()
