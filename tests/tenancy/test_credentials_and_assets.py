"""What a tenant keeps for itself: secrets, a logo, limits of its own."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.tenancy import assets, credentials
from apps.tenancy.context import NoTenant, tenant_context
from apps.tenancy.limits import limits
from apps.tenancy.models import Tenant, TenantCredential
from apps.tenancy.scoping import unscoped
from apps.tenancy.tenants import update_settings


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + b"\x00" * 64


PNG = png(7, 5)
GIF = b"GIF89a\x07\x00\x05\x00" + b"\x00" * 20


def test_a_credential_is_one_a_kind_and_tenant(in_tenant: Tenant, other_tenant: Tenant) -> None:
    credentials.store_credential("slack_bot_token", value="xoxb-one")
    credentials.store_credential("slack_bot_token", value=" xoxb-two ", metadata={"team": "T1"})
    assert credentials.credential("slack_bot_token") == "xoxb-two"
    assert unscoped(TenantCredential).count() == 1
    assert "xoxb" not in repr(unscoped(TenantCredential).get())
    with tenant_context(other_tenant):
        assert credentials.credential("slack_bot_token") is None
        assert not credentials.forget_credential("slack_bot_token")
    assert credentials.forget_credential("slack_bot_token")
    assert credentials.credential("slack_bot_token") is None


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("", "v"),
        ("Slack Token", "v"),
        ("k" * 65, "v"),
        ("k", ""),
        ("k", " "),
        ("k", "a\nb"),
        ("k", "x" * 16_385),
    ],
)
def test_what_cannot_be_kept_is_refused_without_being_quoted(
    in_tenant: Tenant, kind: str, value: str
) -> None:
    with pytest.raises(BadInput) as refused:
        credentials.store_credential(kind, value=value)
    assert not value.strip() or value not in refused.value.message or value == "v"


def test_a_logo_is_a_small_picture_by_its_bytes(in_tenant: Tenant, other_tenant: Tenant) -> None:
    first = assets.save_logo(PNG, content_type="image/png")
    assert assets.logo() == first and "PNG" not in repr(first)
    second = assets.save_logo(GIF)
    kept = assets.logo()
    assert kept == second and kept is not None and kept.content_type == "image/gif"
    with tenant_context(other_tenant):
        assert assets.logo() is None and not assets.remove_logo()
    assert assets.remove_logo() and assets.logo() is None


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        (b"<html>", "image/png"),
        (PNG, "image/jpeg"),
        (PNG + b"\x00" * assets.MAX_LOGO_BYTES, "image/png"),
        (png(assets.MAX_LOGO_SIDE + 1, 5), "image/png"),
        (png(5, 2**31), "image/png"),
        (png(0, 5), "image/png"),
        (PNG[:20], "image/png"),
    ],
)
def test_anything_else_is_no_logo(in_tenant: Tenant, content: bytes, content_type: str | None) -> None:
    with pytest.raises(BadInput):
        assets.save_logo(content, content_type=content_type)
    assert assets.logo() is None


def test_limits_are_the_platforms_until_a_tenant_has_its_own(tenant: Tenant, settings: Any) -> None:
    with tenant_context(tenant):
        standard = limits()
    assert (standard.max_knowledge_sources, standard.min_sync_interval_minutes) == (100, 5)
    assert (standard.sync_cap, standard.slack_ingest_per_minute) == (2, 30)
    settings.ENV = settings.ENV.model_copy(update={"root_knowledge_sync_per_tenant_cap": 7})
    changed = update_settings(
        tenant, {"limits": {"max_knowledge_sources": 0, "min_sync_interval_minutes": 1, "sync_cap": None}}
    )
    with tenant_context(changed):
        own = limits()
    assert (own.max_knowledge_sources, own.min_sync_interval_minutes, own.sync_cap) == (0, 5, 7)
    with pytest.raises(NoTenant):
        limits()
