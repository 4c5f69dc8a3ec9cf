"""``manage.py integration endpoints|override``: where a backend answers and what a community makes of its tools."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.integrations.models import Integration
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from tests.fakes.backend import FakeBackend, Reply

TOOLS = [{"name": "find", "description": "Finds."}, {"name": "pay", "description": "Pays."}]


@pytest.fixture
def backend(tenant: Tenant) -> Iterator[FakeBackend]:
    with FakeBackend() as running:
        running.answer("GET /integration/manifest", Reply({"protocol": "root-int/1", "tools": TOOLS}))
        run("add", "harbour", "--url", running.url, "--secret", str(running.secret), "--name", "house")
        yield running


def run(*words: str) -> str:
    out = StringIO()
    call_command("integration", *words, stdout=out)
    return out.getvalue()


def adjust(action: str, *words: str) -> str:
    """Each word is a change of its own."""
    return run(action, "house", "--tenant", "harbour", *[part for word in words for part in ("--set", word)])


def row(tenant: Tenant) -> Any:
    with tenant_context(tenant):
        return Integration.objects.get()


def test_paths_are_set_one_by_one_and_taken_back(backend: FakeBackend, tenant: Tenant) -> None:
    adjust("endpoints", "tool_invoke=/run/:name", "manifest=/about")
    shown = adjust("endpoints", "escalations=/help", "manifest=")
    assert row(tenant).endpoint_paths == {"tool_invoke": "/run/:name", "escalations": "/help"}
    assert "tool_invoke  /run/:name\n" in shown
    assert "manifest  /integration/manifest  (the protocol's own)" in shown
    assert adjust("endpoints") == shown


def test_the_backend_is_asked_there_from_then_on(backend: FakeBackend) -> None:
    backend.answer("GET /about", Reply({"protocol": "root-int/1", "tools": TOOLS[:1]}))
    adjust("endpoints", "manifest=/about")
    assert adjust("refresh") == "house is active with 1 tools.\n"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["tool_invoke=/run"], "must contain :name"),
        (["manifest=about"], "must start with /"),
        (["manifest=/a b"], "no spaces"),
        (["manifest=/" + "x" * 512], "longer than 512"),
        (["tools=/run/:name"], "knows only these keys: manifest"),
        (["/run/:name"], "write one like tool_invoke=/run/:name"),
        (["=/about"], "write one like"),
        (["manifest=/a", "manifest=/b"], "manifest is given twice"),
        (["escalations=/fine", "manifest=about"], "must start with /"),
    ],
)
def test_nonsense_about_paths_is_told_and_changes_nothing(
    backend: FakeBackend, tenant: Tenant, changes: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        adjust("endpoints", *changes)
    assert row(tenant).endpoint_paths == {}


def test_changes_to_a_tool_add_up_and_are_taken_back(backend: FakeBackend, tenant: Tenant) -> None:
    adjust("override", "pay.tiers=member, mentor", "pay.channels=slack,web", "pay.admin_only=no")
    shown = adjust("override", "pay.description=Pays = costs.", "find.removed=yes", "pay.channels=")
    assert row(tenant).tool_overrides == {
        "pay": {"tiers": ["member", "mentor"], "admin_only": False, "description": "Pays = costs."},
        "find": {"removed": True},
    }
    assert 'find  {"removed": true}' in shown and adjust("override") == shown
    adjust("override", "pay.tiers=", "pay.admin_only=", "pay.description=", "find.removed=")
    assert row(tenant).tool_overrides == {}
    assert adjust("override") == "house is taken as its manifest says.\n"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["fly.removed=yes"], "house has no tool called fly"),
        ([".removed=yes"], "'' is no name of a tool"),
        (["p y.removed=yes"], "'p y' is no name of a tool"),
        (["removed=yes"], "removed names no tool; write one like pay.removed=yes"),
        (["pay.removed"], "write one like pay.removed=yes"),
        (["pay.removed=perhaps"], "removed is yes or no"),
        (["pay.price=3"], "price cannot be changed; only admin_only, channels"),
        (["pay.channels=slack,fax"], "no channel 'fax'; there are slack, email, api, web"),
        (["pay.tiers=member,,mentor"], "tiers is a list of names"),
        (["pay.removed=yes", "pay.removed=no"], "pay.removed is given twice"),
        (["find.removed=yes", "pay.removed=perhaps"], "removed is yes or no"),
    ],
)
def test_nonsense_about_tools_is_told_and_changes_nothing(
    backend: FakeBackend, tenant: Tenant, changes: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        adjust("override", *changes)
    assert row(tenant).tool_overrides == {}


def test_a_change_to_a_tool_that_is_gone_can_be_taken_back(backend: FakeBackend, tenant: Tenant) -> None:
    adjust("override", "pay.removed=yes")
    backend.answer("GET /integration/manifest", Reply({"protocol": "root-int/1", "tools": TOOLS[:1]}))
    adjust("refresh")
    adjust("override", "pay.removed=")
    assert row(tenant).tool_overrides == {}


@pytest.mark.parametrize(
    ("action", "change"), [("endpoints", "manifest=/x"), ("override", "pay.removed=yes")]
)
def test_another_community_s_backend_is_not_there(
    backend: FakeBackend, tenant: Tenant, other_tenant: Tenant, action: str, change: str
) -> None:
    with pytest.raises(CommandError, match="no such integration"):
        run(action, "house", "--tenant", "mill", "--set", change)
    assert (row(tenant).endpoint_paths, row(tenant).tool_overrides) == ({}, {})
