"""Who carries a community's mail (contract §8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.foundation.environment import env
from apps.foundation.errors import Conflict
from apps.integrations.email.carriers import Carrier, OwnWebhook, Postmark, Primitive
from apps.integrations.email.letter import sender
from apps.tenancy.models import TenantChannel

NO_CARRIER: Final = (
    "No mail can be sent: neither PRIMITIVE_API_KEY nor POSTMARK_SERVER_TOKEN is set, and this community has no "
    "webhook of its own for mail."
)
SWITCHED_OFF: Final = "The mail channel of this community is switched off."
NO_DOMAIN: Final = "No mail can be sent: PLATFORM_EMAIL_DOMAIN is not set."


def carrier() -> Carrier:
    """The current community's; raises :class:`Conflict` with a sentence when nobody carries its mail."""
    channel = TenantChannel.objects.filter(type=TenantChannel.Type.EMAIL).first()
    if channel is not None and channel.status != TenantChannel.Status.ACTIVE:
        raise Conflict(SWITCHED_OFF)
    config: dict[str, Any] = (
        channel.config if channel is not None and isinstance(channel.config, dict) else {}
    )
    if config.get("mode") == "byo_webhook":
        return _own(config, channel.secrets if channel is not None else {})
    key, token, domain = env().primitive_api_key, env().postmark_server_token, env().platform_email_domain
    if key is None and token is None:
        raise Conflict(NO_CARRIER)
    if domain is None:
        raise Conflict(NO_DOMAIN)
    writer = sender(config.get("alias"), domain=domain)
    if key is not None:
        return Primitive(key=key.get_secret_value(), writer=writer)
    return Postmark(token=token.get_secret_value() if token else "", writer=writer)


def _own(config: Mapping[str, Any], secrets: Any) -> OwnWebhook:
    url = config.get("outbound_webhook_url")
    secret = secrets.get("outbound_signing_secret") if isinstance(secrets, dict) else None
    if not isinstance(url, str) or not url or not isinstance(secret, str) or not secret.strip():
        raise Conflict("The mail channel needs outbound_webhook_url and the secret outbound_signing_secret.")
    return OwnWebhook(url=url, secret=secret)
