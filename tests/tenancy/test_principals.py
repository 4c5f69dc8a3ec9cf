"""Storing people: one row each, claims that move, writers that race."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from apps.tenancy import principals
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.principals import PersonFacts, upsert


@pytest.mark.usefixtures("in_tenant")
def test_a_person_is_made_once_and_then_changed() -> None:
    first = upsert(
        PersonFacts(ref="m-1", tier="member", display_name="Ana", email=" Ana@A.example", traits={"a": 1})
    )
    second = upsert(PersonFacts(ref="m-1", tier="mentor", is_admin=True))
    assert (first.pk, Principal.objects.count()) == (second.pk, 1)
    stored = principals.by_ref("m-1")
    assert stored is not None
    assert (stored.tier, stored.is_admin, stored.display_name) == ("mentor", True, "Ana")
    assert (stored.email, stored.traits) == ("ana@a.example", {"a": 1})


@pytest.mark.usefixtures("in_tenant")
def test_people_are_found_however_the_address_is_written() -> None:
    upsert(PersonFacts(ref="m-1", tier="member", email="jose\u0301@a.example", slack_user_id="U1"))
    for written in ("JOS\u00c9@A.EXAMPLE", " jos\u00e9@a.example\n"):
        found = principals.by_email(written)
        assert found is not None
        assert found.ref == "m-1"
    assert principals.by_email("not an address") is None
    assert principals.by_slack("U1") is not None
    assert principals.by_slack("U2") is None


@pytest.mark.parametrize("claim", ["slack_user_id", "email"])
@pytest.mark.usefixtures("in_tenant")
def test_the_newer_claim_takes_the_id_along(claim: str) -> None:
    value = {"slack_user_id": "U1", "email": "a@a.example"}[claim]
    facts: dict[str, Any] = {claim: value}
    upsert(PersonFacts(ref="old", tier="member", **facts))
    upsert(PersonFacts(ref="new", tier="member", **facts))
    holders = {row.ref: getattr(row, claim) for row in Principal.objects.all()}
    assert holders == {"old": None, "new": value}


@pytest.mark.usefixtures("in_tenant")
def test_somebody_met_through_a_channel_keeps_their_row() -> None:
    met = upsert(PersonFacts(ref="slack:U1", tier="unresolved", slack_user_id="U1"))
    Principal.objects.update(preferences={"style": "direct"})
    known = upsert(PersonFacts(ref="m-1", tier="member", slack_user_id="U1"))
    assert (known.pk, known.ref, known.preferences) == (met.pk, "m-1", {"style": "direct"})


@pytest.mark.usefixtures("in_tenant")
def test_hostile_text_is_stored_clean() -> None:
    row = upsert(
        PersonFacts(ref="a\x00b", tier="m\nx", display_name="A\ud800\nB", email="no", profile_context="\x00p")
    )
    assert (row.ref, row.tier, row.display_name, row.email) == ("ab", "m x", "A\ufffd B", None)
    assert row.profile_context == "p"


def test_tenants_do_not_share_people(in_tenant: Tenant, other_tenant: Tenant) -> None:
    upsert(PersonFacts(ref="m-1", tier="member", slack_user_id="U1", email="a@a.example"))
    with tenant_context(other_tenant):
        upsert(PersonFacts(ref="m-1", tier="mentor", slack_user_id="U1", email="a@a.example"))
    row = principals.by_slack("U1")
    assert row is not None
    assert (row.tier, row.email) == ("member", "a@a.example")


def test_writers_that_race_for_one_id_all_finish(committed_db: None, tenant: Tenant) -> None:
    go = threading.Barrier(6)

    def claim(number: int) -> None:
        try:
            with tenant_context(tenant):
                go.wait(30)
                for _ in range(5):
                    upsert(
                        PersonFacts(
                            ref=f"m-{number % 3}", tier="member", slack_user_id="U1", email="a@a.example"
                        )
                    )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(claim, range(6)))
    with tenant_context(tenant):
        assert Principal.objects.count() == 3
        assert Principal.objects.filter(slack_user_id="U1").count() == 1


def test_the_command_leaves_what_it_is_not_told(tenant: Tenant) -> None:
    call_command(
        "principal", "set", tenant.slug, "--ref", "ada", "--name", "Ada", "--tier", "mentor", "--admin"
    )
    call_command("principal", "set", tenant.slug, "--ref", "ada", "--email", "ada@a.example")
    with tenant_context(tenant):
        row = principals.by_ref("ada")
    assert row is not None
    assert (row.display_name, row.tier, row.is_admin) == ("Ada", "mentor", True)
    call_command("principal", "set", tenant.slug, "--ref", "ada", "--no-admin")
    with pytest.raises(CommandError):
        call_command("principal", "set", tenant.slug, "--ref", " ")


def test_writers_that_take_ids_from_each_other_do_not_wait_for_each_other(
    committed_db: None, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A deadlock costs Postgres a second to notice; without a second try it would show here.
    monkeypatch.setattr(principals, "_ATTEMPTS", 1)
    go = threading.Barrier(8)

    def claim(number: int) -> None:
        try:
            with tenant_context(tenant):
                go.wait(30)
                for step in range(6):
                    upsert(
                        PersonFacts(
                            ref=f"m-{(number + step) % 4}",
                            tier="member",
                            slack_user_id=f"U{(number + 2 * step) % 3}",
                            email=f"{(number * step) % 3}@a.example",
                        )
                    )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(claim, range(8)))
