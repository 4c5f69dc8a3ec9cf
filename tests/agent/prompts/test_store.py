"""Additions are kept with every version, each community's own."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agent.models import RootPrompt, RootPromptVersion
from apps.agent.prompts import store
from apps.agent.prompts.registry import UnknownPrompt, prompt, prompts
from apps.foundation.errors import BadInput
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.models import Tenant

KEY = "slack.formatting_section"


@pytest.mark.usefixtures("in_tenant")
def test_every_key_has_its_default_without_a_row() -> None:
    assert {key: store.text_of(key) for key in prompts()} == {
        key: entry.default for key, entry in prompts().items()
    }


@pytest.mark.usefixtures("in_tenant")
def test_an_addition_follows_the_default_and_each_save_is_a_version() -> None:
    store.save_addition(KEY, "- First.", saved_by="ana@harbour.example")
    store.save_addition(KEY, "- Second.\r\n", saved_by="lee@harbour.example")
    assert store.text_of(KEY) == f"{prompt(KEY).default}\n- Second."
    assert store.additions() == {KEY: "- Second."}
    kept = [(version.content, version.saved_by) for version in store.versions(KEY)]
    assert kept == [("- Second.", "lee@harbour.example"), ("- First.", "ana@harbour.example")]
    row = RootPrompt.objects.get(key=KEY)
    assert (row.updated_by, row.description) == ("lee@harbour.example", prompt(KEY).description)


@pytest.mark.usefixtures("in_tenant")
def test_an_empty_addition_adds_nothing_and_is_a_version_too() -> None:
    store.save_addition(KEY, "- First.", saved_by="ana")
    store.save_addition(KEY, "  \n", saved_by="ana")
    assert store.text_of(KEY) == prompt(KEY).default
    assert store.additions() == {}
    assert [version.content for version in store.versions(KEY)] == ["", "- First."]


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize("key", ["slack.identity_addendum", "email.identity_addendum"])
def test_a_character_takes_the_place_of_a_tone_and_the_addition_stays(key: str) -> None:
    store.save_addition(key, "- Added.", saved_by="ana")
    assert store.text_of(key, character="Speak like a pilot.") == "Speak like a pilot.\n- Added."
    assert store.text_of(key, character="  ") == f"{prompt(key).default}\n- Added."


@pytest.mark.usefixtures("in_tenant")
def test_a_character_replaces_nothing_else() -> None:
    assert store.text_of(KEY, character="Speak like a pilot.") == prompt(KEY).default


@pytest.mark.usefixtures("in_tenant")
def test_wording_carries_the_additions() -> None:
    store.save_addition(KEY, "- Added.", saved_by="ana")
    assert store.wording().addition(KEY) == "- Added."
    assert store.wording().default(KEY) == prompt(KEY).default


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize(
    "act", [store.text_of, store.versions, lambda key: store.save_addition(key, "x", saved_by="a")]
)
def test_an_unknown_key_raises(act: Any) -> None:
    with pytest.raises(UnknownPrompt):
        act("slack.nope")
    assert not RootPromptVersion.objects.exists()


@pytest.mark.usefixtures("in_tenant")
@pytest.mark.parametrize("content", ["x" * (store.LONGEST_ADDITION + 1), None, 7, ["- a"]])
def test_what_is_no_text_or_too_long_is_refused_whole(content: Any) -> None:
    with pytest.raises(BadInput):
        store.save_addition(KEY, content, saved_by="ana")
    assert store.additions() == {}
    assert store.versions(KEY) == []


@pytest.mark.usefixtures("in_tenant")
def test_hostile_characters_are_cleaned_not_lost() -> None:
    store.save_addition(KEY, "- a\x00b \ud800 {{footer}}", saved_by="an\na\x00")
    assert store.additions() == {KEY: "- ab \ufffd {{footer}}"}
    assert store.versions(KEY)[0].saved_by == "an a"


def test_communities_do_not_see_each_other(tenant: Tenant, other_tenant: Tenant) -> None:
    with tenant_context(tenant):
        store.save_addition(KEY, "- Harbour.", saved_by="ana")
    with tenant_context(other_tenant):
        assert store.additions() == {}
        assert store.versions(KEY) == []
        store.save_addition(KEY, "- Mill.", saved_by="mo")
    with tenant_context(tenant):
        assert store.additions() == {KEY: "- Harbour."}


def test_without_a_tenant_nothing_is_read_or_written() -> None:
    for act in (store.additions, store.wording, lambda: store.save_addition(KEY, "x", saved_by="a")):
        with pytest.raises(NoTenant):
            act()
