"""A tenant's channel rows: reading them, and minting what opens them (contract §2.3, §8.4)."""

from __future__ import annotations

import secrets
from typing import Any

from apps.foundation.errors import BadInput
from apps.foundation.text import one_line
from apps.tenancy.models import TenantChannel

TOKEN_BYTES = 24
MAX_SECRET = 16_384
SECRETS = {
    TenantChannel.Type.SLACK.value: {"bot_token", "signing_secret"},
    TenantChannel.Type.EMAIL.value: {"inbound_token", "outbound_signing_secret"},
    TenantChannel.Type.WEB.value: {"access_token"},
}


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


def set_channel(
    channel_type: str, *, config: dict[str, Any] | None = None, secrets: dict[str, Any] | None = None
) -> TenantChannel:
    """Switches a channel on with what is given; the rest stays. Raises :class:`BadInput`, which quotes no secret."""
    if channel_type not in SECRETS:
        raise BadInput(f"A channel is {', '.join(SECRETS)}; nothing else.")
    changes: dict[str, Any] = {"status": TenantChannel.Status.ACTIVE}
    if config is not None:
        changes["config"] = _object(config, "configuration")
    if secrets is not None:
        changes["secrets"] = _checked_secrets(channel_type, _object(secrets, "secrets"))
    row: TenantChannel = TenantChannel.objects.update_or_create(type=channel_type, defaults=changes)[0]
    return row


def _object(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadInput(f"The {what} of a channel must be a JSON object.")
    return given


def _checked_secrets(channel_type: str, given: dict[str, Any]) -> dict[str, Any]:
    known = SECRETS[channel_type]
    for name, value in given.items():
        if name not in known:
            raise BadInput(
                f"{one_line(name, limit=60)} is no secret of a channel for {channel_type}: {', '.join(sorted(known))}."
            )
        if (
            not isinstance(value, str)
            or not value.strip()
            or len(value) > MAX_SECRET
            or not value.isprintable()
        ):
            raise BadInput(f"{name} must have 1 to {MAX_SECRET} printable characters.")
    return {name: value.strip() for name, value in given.items()}
