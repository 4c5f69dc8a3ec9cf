"""Connecting a backend: what may be stored, and secrets that show once."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput, Conflict, NotFound
from apps.integrations import registration
from apps.integrations.connect import connect
from apps.integrations.models import Integration
from apps.integrations.rootint.registry import active_integrations
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant

TOOL = {"name": "pay", "description": "Pays a bill."}

pytestmark = pytest.mark.usefixtures("in_tenant")


def test_a_new_backend_is_pending_with_a_secret_of_its_own() -> None:
    made = registration.register(name="crm", base_url=" https://B.example/api/ ")
    assert (made.row.status, made.row.base_url, made.row.environment) == (
        "pending",
        "https://b.example/api",
        "live",
    )
    assert len(made.secret) == 64
    assert made.secret == made.row.signing_secret
    assert made.secret not in repr(made)


@pytest.mark.parametrize("name", ["", "x", "Crm", "-crm", "a b", "a" * 65, "crm\n"])
def test_names_follow_the_rule(name: str) -> None:
    with pytest.raises(BadInput):
        registration.register(name=name, base_url="https://b.example")


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "b.example",
        "ftp://b.example",
        "file:///x",
        "https://u:p@b.example",
        "https://b.example?x=1",
        "https://b.example/#",
        "https://",
    ],
)
def test_addresses_must_be_usable(base_url: str) -> None:
    with pytest.raises(BadInput):
        registration.register(name="crm", base_url=base_url)


@pytest.mark.parametrize("secret", ["", "short", "        ", "x" * 513, "with\nbreak"])
def test_secrets_must_be_worth_the_name(secret: str) -> None:
    with pytest.raises(BadInput):
        registration.register(name="crm", base_url="https://b.example", signing_secret=secret)


def test_a_taken_name_is_a_conflict_and_a_disabled_one_comes_back() -> None:
    first = registration.register(name="crm", base_url="https://b.example")
    with pytest.raises(Conflict):
        registration.register(name="crm", base_url="https://c.example")
    registration.disable("crm")
    again = registration.register(name="crm", base_url="https://c.example")
    assert (again.row.pk, again.row.status, again.row.base_url) == (
        first.row.pk,
        "pending",
        "https://c.example",
    )
    assert again.secret != first.secret


def test_rotation_replaces_the_secret() -> None:
    first = registration.register(name="crm", base_url="https://b.example")
    second = registration.rotate_secret("crm")
    assert second.secret != first.secret
    assert Integration.objects.get().signing_secret == second.secret


@pytest.mark.parametrize("overrides", [{"find": {"removed": True}}, {}])
def test_overrides_are_stored(overrides: dict[str, Any]) -> None:
    registration.register(name="crm", base_url="https://b.example")
    registration.set_overrides("crm", overrides)
    assert Integration.objects.get().tool_overrides == overrides


def test_another_tenants_backend_is_not_found(other_tenant: Tenant) -> None:
    registration.register(name="crm", base_url="https://b.example")
    with tenant_context(other_tenant), pytest.raises(NotFound):
        registration.disable("crm")


def test_pointing_a_backend_elsewhere_asks_for_as_good_a_secret() -> None:
    registration.register(name="crm", base_url="https://crm.example", signing_secret="long enough")
    for weak in ("", "short"):
        with pytest.raises(BadInput):
            connect("crm", base_url="https://other.example", signing_secret=weak)
    assert registration.find("crm").base_url == "https://crm.example"


def test_a_mistyped_address_leaves_a_working_backend_where_it_was() -> None:
    row = registration.register(name="crm", base_url="https://crm.example", signing_secret="long enough").row
    row.status = Integration.Status.ACTIVE
    row.save(update_fields=["status"])
    told = connect("crm", base_url="http://127.0.0.1:9", signing_secret="another one")
    assert told.manifest is None and told.problem
    kept = registration.find("crm")
    assert (kept.base_url, kept.signing_secret, kept.status) == (
        "https://crm.example",
        "long enough",
        "active",
    )


@pytest.mark.parametrize("way", ["register", "connect"])
def test_a_backend_that_comes_back_elsewhere_has_no_tools_until_it_answers(way: str) -> None:
    row = registration.register(name="crm", base_url="https://crm.example").row
    row.status, row.manifest = "active", {"protocol": "root-int/1", "tools": [TOOL]}
    row.save(update_fields=["status", "manifest"])
    registration.disable("crm")
    if way == "register":
        registration.register(name="crm", base_url="http://127.0.0.1:9")
    else:
        assert connect("crm", base_url="http://127.0.0.1:9", signing_secret="long enough").problem
    kept = registration.find("crm")
    assert (kept.status, kept.manifest, active_integrations()) == ("pending", None, ())
