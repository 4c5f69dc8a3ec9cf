"""Keys: shown once, hashed, bound to an environment, refused in the right way."""

from __future__ import annotations

import re
from threading import Barrier, Thread
from typing import Any

import pytest

from apps.foundation import ttl_cache
from apps.foundation.database import give_back
from apps.foundation.errors import BadInput, Forbidden, Unauthorized
from apps.tenancy.api_keys import authenticate_key, hash_key, list_keys, mint_key, revoke_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantApiKey
from apps.tenancy.scoping import WrongTenant, unscoped
from apps.tenancy.tenants import set_status, shadow_of


def test_a_minted_key_has_the_documented_form_and_only_its_hash_is_kept(tenant: Tenant) -> None:
    minted = mint_key(tenant, name="ci", environment="live")
    assert re.fullmatch(r"rpk_live_[0-9a-f]{48}", minted.secret)
    assert minted.row.token_prefix == minted.secret[: len("rpk_live_") + 8]
    stored = unscoped(TenantApiKey).values().get()
    assert stored["token_hash"] == hash_key(minted.secret)
    assert minted.secret not in repr(stored) and minted.secret not in repr(minted)


def test_live_and_dev_keys_open_the_paired_rows(tenant: Tenant) -> None:
    live = mint_key(tenant, name="a", environment="live")
    dev = mint_key(tenant, name="b", environment="dev")
    assert authenticate_key(live.secret).tenant.slug == "harbour"
    holder = authenticate_key(dev.secret)
    assert (holder.tenant.slug, holder.tenant.environment) == ("harbour--dev", "dev")
    assert holder.key.tenant_id == tenant.pk


def test_minting_dev_keys_makes_one_shadow(tenant: Tenant) -> None:
    mint_key(tenant, name="a", environment="dev")
    mint_key(tenant, name="b", environment="dev")
    assert Tenant.objects.filter(live_tenant=tenant).count() == 1
    with pytest.raises(BadInput):
        shadow_of(Tenant.objects.get(live_tenant=tenant))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "rpk_",
        "rpk_live_",
        "rpk_live_zz",
        "Bearer x",
        "rpk_live_" + "0" * 48,
        "rpk_live_" + "a" * 5000,
        "\x00",
    ],
)
def test_unknown_and_malformed_keys_are_unauthorized(tenant: Tenant, raw: str) -> None:
    with pytest.raises(Unauthorized):
        authenticate_key(raw)


def test_a_bare_legacy_key_follows_its_column(tenant: Tenant) -> None:
    with tenant_context(tenant):
        TenantApiKey.objects.create(
            name="old", token_prefix="rpk_00", token_hash=hash_key("rpk_00ff"), environment="live"
        )
    assert authenticate_key("rpk_00ff").tenant.pk == tenant.pk


def test_a_bare_legacy_key_for_dev_needs_the_shadow(tenant: Tenant) -> None:
    with tenant_context(tenant):
        TenantApiKey.objects.create(
            name="old", token_prefix="rpk_00", token_hash=hash_key("rpk_00dd"), environment="dev"
        )
    with pytest.raises(Forbidden):
        authenticate_key("rpk_00dd")
    shadow = shadow_of(tenant)
    assert authenticate_key("rpk_00dd").tenant.pk == shadow.pk


def test_keys_are_listed_for_both_environments_and_never_anothers(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    first = mint_key(tenant, name="first")
    second = mint_key(tenant, name="second", environment="dev")
    mint_key(other_tenant, name="theirs")
    for row in (tenant, shadow_of(tenant)):
        assert [key.pk for key in list_keys(row)] == [second.row.pk, first.row.pk]
    assert [key.name for key in list_keys(other_tenant)] == ["theirs"]


def test_a_key_revoked_again_keeps_the_time_of_the_first(tenant: Tenant, other_tenant: Tenant) -> None:
    row = mint_key(tenant, name="a").row
    with tenant_context(other_tenant), pytest.raises(WrongTenant):
        revoke_key(row)
    with tenant_context(tenant):
        revoke_key(row)
        first = row.revoked_at
        revoke_key(TenantApiKey.objects.get(pk=row.pk))
        assert first is not None
        assert TenantApiKey.objects.get(pk=row.pk).revoked_at == first


@pytest.mark.parametrize(
    ("name", "environment"), [("", "live"), (" \u200b\n", "live"), ("a", "test"), ("a", "")]
)
def test_a_key_needs_a_name_and_one_of_two_environments(tenant: Tenant, name: str, environment: str) -> None:
    with pytest.raises(BadInput):
        mint_key(tenant, name=name, environment=environment)  # type: ignore[arg-type]
    assert list_keys(tenant) == []


def test_a_shadow_has_no_keys_of_its_own(tenant: Tenant) -> None:
    with pytest.raises(BadInput):
        mint_key(shadow_of(tenant), name="a")


def test_two_first_dev_keys_at_once_share_one_shadow(committed_db: None, tenant: Tenant) -> None:
    together, minted = Barrier(4), []

    def mint(number: int) -> None:
        together.wait(10)
        minted.append(mint_key(tenant, name=f"k{number}", environment="dev"))
        give_back()

    threads = [Thread(target=mint, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert Tenant.objects.filter(live_tenant=tenant).count() == 1
    assert {authenticate_key(key.secret).tenant.slug for key in minted} == {"harbour--dev"}
    assert len(minted) == 4


def test_a_suspended_shadow_locks_dev_keys_only(tenant: Tenant) -> None:
    live, dev = mint_key(tenant, name="a"), mint_key(tenant, name="b", environment="dev")
    set_status(shadow_of(tenant), "suspended")
    assert authenticate_key(live.secret).tenant.pk == tenant.pk
    with pytest.raises(Forbidden):
        authenticate_key(dev.secret)


def test_the_hot_path_asks_one_question(tenant: Tenant, django_assert_num_queries: Any) -> None:
    dev = mint_key(tenant, name="a", environment="dev")
    authenticate_key(dev.secret)
    with django_assert_num_queries(1):
        authenticate_key(dev.secret)


def test_revoked_keys_are_forbidden(tenant: Tenant) -> None:
    minted = mint_key(tenant, name="a")
    with tenant_context(tenant):
        revoke_key(minted.row)
    with pytest.raises(Forbidden):
        authenticate_key(minted.secret)


@pytest.mark.parametrize("environment", ["live", "dev"])
def test_a_suspended_community_locks_its_keys(tenant: Tenant, environment: str) -> None:
    minted = mint_key(tenant, name="a", environment=environment)  # type: ignore[arg-type]
    Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    ttl_cache.clear_all()
    with pytest.raises(Forbidden):
        authenticate_key(minted.secret)
