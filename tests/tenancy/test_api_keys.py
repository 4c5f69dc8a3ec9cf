"""Keys: shown once, hashed, bound to an environment, refused in the right way."""

from __future__ import annotations

import re

import pytest

from apps.foundation import ttl_cache
from apps.foundation.errors import BadInput, Forbidden, Unauthorized
from apps.tenancy.api_keys import authenticate_key, hash_key, mint_key, revoke_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantApiKey
from apps.tenancy.scoping import unscoped
from apps.tenancy.tenants import shadow_of


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
