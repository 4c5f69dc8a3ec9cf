"""Minting and checking bearer keys (contract §12.1)."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Literal

from apps.foundation import clock
from apps.foundation.errors import BadInput, Forbidden, NotFound, Unauthorized
from apps.foundation.text import one_line
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantApiKey
from apps.tenancy.scoping import unscoped
from apps.tenancy.tenants import shadow_of, tenant_by_id, tenant_in_environment

KeyEnvironment = Literal["live", "dev"]
PREFIXES: dict[KeyEnvironment, str] = {"live": "rpk_live_", "dev": "rpk_dev_"}
SECRET_BYTES = 24
SHOWN_CHARACTERS = 8
_KEY = re.compile(r"rpk_(?:live_|dev_)?[0-9a-f]{1,128}")


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A new key. ``secret`` is shown to its owner once and kept nowhere."""

    row: TenantApiKey
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """Who a valid key speaks for: the tenant row its environment selects."""

    tenant: Tenant
    key: TenantApiKey


def mint_key(live: Tenant, *, name: str, environment: KeyEnvironment = "live") -> MintedKey:
    """Makes a key for a live tenant; a dev key makes the shadow row too. Raises :class:`BadInput`."""
    if live.environment != Tenant.Environment.LIVE:
        raise BadInput("Keys belong to the live community, the ones for its development environment too.")
    if environment not in PREFIXES:
        raise BadInput("A key is for live or for dev.")
    if not one_line(name):
        raise BadInput("A key needs a name, so that people know which one to revoke.")
    if environment == "dev":
        shadow_of(live)
    prefix = PREFIXES[environment]
    secret = prefix + secrets.token_hex(SECRET_BYTES)
    with tenant_context(live):
        row = TenantApiKey.objects.create(
            name=one_line(name, limit=120),
            token_prefix=secret[: len(prefix) + SHOWN_CHARACTERS],
            token_hash=hash_key(secret),
            environment=environment,
        )
    return MintedKey(row=row, secret=secret)


def authenticate_key(raw: str) -> KeyHolder:
    """Who holds this key; :class:`Unauthorized` if unknown, :class:`Forbidden` if revoked or the tenant inactive."""
    row = unscoped(TenantApiKey).filter(token_hash=hash_key(raw)).first() if _KEY.fullmatch(raw) else None
    if row is None:
        raise Unauthorized("This key is not known.")
    if row.revoked_at is not None:
        raise Forbidden("This key was revoked.")
    try:
        tenant = tenant_in_environment(row.tenant_id, row.environment)
        live = tenant_by_id(row.tenant_id)
    except NotFound:
        raise Forbidden("This key's community is not active.") from None
    if not (tenant.is_active and live.is_active):
        raise Forbidden("This key's community is not active.")
    return KeyHolder(tenant=tenant, key=row)


def list_keys(live: Tenant) -> list[TenantApiKey]:
    """The keys of a community for both its environments, the newest first, revoked ones included."""
    with tenant_context(live if live.live_tenant_id is None else tenant_by_id(live.live_tenant_id)):
        return list(TenantApiKey.objects.order_by("-created_at", "-id"))


def revoke_key(row: TenantApiKey) -> None:
    """Makes a key useless from now on. A key that was revoked before keeps the time of that."""
    row.stamp_tenant()
    TenantApiKey.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=clock.now())
    row.refresh_from_db(fields=["revoked_at"])


def hash_key(raw: str) -> str:
    """What is stored of a key: the SHA-256 of it, in hexadecimal."""
    return hashlib.sha256(raw.encode()).hexdigest()
