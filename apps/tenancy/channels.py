"""A tenant's channel rows: reading them, and minting what opens them (contract §2.3, §8.4)."""

from __future__ import annotations

import secrets
from typing import Any

from apps.tenancy.models import TenantChannel

TOKEN_BYTES = 24


def active_channel(channel_type: str) -> TenantChannel | None:
    """The current tenant's channel of this type, if it is switched on."""
    return TenantChannel.objects.filter(type=channel_type, status=TenantChannel.Status.ACTIVE).first()


def open_web_channel(*, config: dict[str, Any] | None = None) -> str:
    """Switches the web chat on with a new access token and returns the token, shown this once."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    TenantChannel.objects.update_or_create(
        type=TenantChannel.Type.WEB,
        defaults={
            "config": config or {},
            "secrets": {"access_token": token},
            "status": TenantChannel.Status.ACTIVE,
        },
    )
    return token
