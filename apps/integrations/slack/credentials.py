"""Where a tenant's Slack secrets are: its channel, its credentials, or for the root tenant the environment
(contract §8.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from apps.foundation.environment import env
from apps.tenancy.context import current_tenant_id
from apps.tenancy.credentials import credential
from apps.tenancy.models import ROOT_TENANT_ID, TenantChannel

# Under these kinds they stand among a tenant's credentials.
BOT_TOKEN: Final = "slack_bot_token"  # noqa: S105 - a name, no secret
SIGNING_SECRET: Final = "slack_signing_secret"  # noqa: S105


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackCredentials:
    """What is known; an empty secret is none."""

    bot_token: SecretStr | None
    signing_secret: SecretStr | None


def slack_credentials() -> SlackCredentials:
    """The current tenant's. A channel that is switched off has none, wherever else there may be some."""
    channel = TenantChannel.objects.filter(type=TenantChannel.Type.SLACK).first()
    if channel is not None and channel.status != TenantChannel.Status.ACTIVE:
        return SlackCredentials(bot_token=None, signing_secret=None)
    own = channel.secrets if channel is not None and isinstance(channel.secrets, dict) else {}
    is_root = current_tenant_id() == ROOT_TENANT_ID
    return SlackCredentials(
        bot_token=_first(own.get("bot_token"), BOT_TOKEN) or (env().slack_bot_token if is_root else None),
        signing_secret=_first(own.get("signing_secret"), SIGNING_SECRET)
        or (env().slack_signing_secret if is_root else None),
    )


def _first(own: object, kind: str) -> SecretStr | None:
    if isinstance(own, str) and own.strip():
        return SecretStr(own.strip())
    kept = credential(kind)
    return SecretStr(kept) if kept else None
