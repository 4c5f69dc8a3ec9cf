"""The SDK's client of the current tenant (contract §8.2).

It is used like any ``WebClient``; only its failures are ours, and no connection or transaction is held across a call.
"""

from __future__ import annotations

import logging
from http.client import HTTPException
from typing import Any, Final
from uuid import UUID

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web import SlackResponse

from apps.foundation.database import released
from apps.foundation.environment import env
from apps.foundation.ttl_cache import TtlCache
from apps.integrations.slack import failure
from apps.integrations.slack.credentials import slack_credentials
from apps.integrations.slack.failure import SlackFailure
from apps.tenancy.context import current_tenant_id

TIMEOUT_SECONDS: Final = 20
CACHE_SECONDS: Final = 60.0

# What the SDK logs quotes requests and answers, so only its warnings about itself are let through, to nobody.
_quiet = logging.getLogger("root.slack_sdk")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False
_quiet.setLevel(logging.CRITICAL)

_clients: TtlCache[tuple[UUID, str], SlackClient]


class SlackClient(WebClient):
    """Every method of the SDK; raises :class:`SlackFailure` in place of the SDK's errors."""

    def api_call(self, api_method: str, **options: Any) -> SlackResponse:
        try:
            with released():
                return super().api_call(api_method, **options)
        except SlackApiError as error:
            raise failure.refused(error) from None
        except (SlackClientError, HTTPException, ValueError, AttributeError):
            # The SDK trips over JSON that is no object.
            raise failure.bad_response() from None
        except OSError:
            raise failure.unreachable() from None

    def __repr__(self) -> str:
        return "SlackClient()"


def slack_client() -> SlackClient:
    """The current tenant's client, kept a minute; raises :class:`SlackFailure` (``not_connected``) without a token.

    A token that Slack refused is looked up again the next time, see :func:`forget_client`.
    """
    key = (current_tenant_id(), env().slack_api_url)
    client = _clients.get(key)
    if client is None:
        token = slack_credentials().bot_token
        if token is None:
            raise failure.not_connected()
        client = SlackClient(
            token=token.get_secret_value(),
            base_url=f"{env().slack_api_url}/",
            timeout=TIMEOUT_SECONDS,
            # Whoever calls decides on another attempt: a message must not be posted twice unseen.
            retry_handlers=[],
            logger=_quiet,
        )
        _clients.put(key, client)
    return client


def forget_client() -> None:
    """After the current tenant's secrets changed, or were refused."""
    _clients.drop((current_tenant_id(), env().slack_api_url))


def is_connected() -> bool:
    """Has the current tenant a token at all?"""
    try:
        slack_client()
    except SlackFailure:
        return False
    return True


_clients = TtlCache(CACHE_SECONDS)
