"""Carriers of mail: Primitive, Postmark in its stead, or a webhook of the community's own (contract §8.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from apps.foundation import http
from apps.foundation.environment import env
from apps.foundation.errors import Conflict, Unavailable
from apps.foundation.http_failure import HttpFailure
from apps.foundation.signing import signed_headers
from apps.integrations.delivery import Delivered, DeliveryUncertain
from apps.integrations.email.letter import Letter

TIMEOUT_SECONDS: Final = 30.0
PRIMITIVE: Final = "https://api.primitive.dev/v1"
_MOST_BYTES: Final = 100_000


class Carrier(Protocol):
    """Somebody who takes mail. ``is_repeatable``: the same letter sent twice arrives once."""

    name: str
    is_repeatable: bool

    def carry(self, letter: Letter) -> Delivered:
        """Hands the letter over; raises :class:`DeliveryUncertain`, or a typed error when it was not taken."""


class Primitive:
    """The hosted provider; it honours our idempotency key."""

    name = "primitive"
    is_repeatable = True

    def __init__(self, *, key: str, writer: str) -> None:
        self._key, self._writer = key, writer

    def carry(self, letter: Letter) -> Delivered:
        """POST /send-mail."""
        url = f"{(env().primitive_api_url or PRIMITIVE).rstrip('/')}/send-mail"
        headers = {"authorization": f"Bearer {self._key}", "idempotency-key": letter.key}
        body = {
            "from": self._writer,
            "to": letter.to,
            "subject": letter.subject,
            "body_text": letter.text,
            "body_html": letter.html,
        }
        answer = _posted(url, headers=headers, body=_json(body), carrier="The mail provider")
        data = answer.get("data")
        return Delivered(
            carrier=self.name, external_id=_text(data if isinstance(data, dict) else answer, "id")
        )


class Postmark:
    """The provider in reserve; it takes everything twice."""

    name = "postmark"
    is_repeatable = False

    def __init__(self, *, token: str, writer: str) -> None:
        self._token, self._writer = token, writer

    def carry(self, letter: Letter) -> Delivered:
        """POST /email."""
        body = {
            "From": self._writer,
            "To": letter.to,
            "Subject": letter.subject,
            "TextBody": letter.text,
            "HtmlBody": letter.html,
            "Metadata": {"root_id": letter.key},
        }
        answer = _posted(
            f"{env().postmark_api_url.rstrip('/')}/email",
            headers={"x-postmark-server-token": self._token, "accept": "application/json"},
            body=_json(body),
            carrier="Postmark",
        )
        return Delivered(carrier=self.name, external_id=_text(answer, "MessageID"))


class OwnWebhook:
    """The community sends from a domain of its own, what we post to it."""

    name = "webhook"
    is_repeatable = False

    def __init__(self, *, url: str, secret: str) -> None:
        self._url, self._secret = url, secret

    def carry(self, letter: Letter) -> Delivered:
        """A signed POST."""
        body = _json(
            {
                "type": "email_reply",
                "to": letter.to,
                "cc": [],
                "subject": letter.subject,
                "text": letter.text,
                "html": letter.html,
                "in_reply_to": None,
                "references": [],
            }
        )
        headers = signed_headers(self._secret, body=body)
        _posted(self._url, headers=headers, body=body, carrier="The community's mail webhook")
        return Delivered(carrier=self.name, external_id=letter.key)


def _posted(url: str, *, headers: Mapping[str, str], body: bytes, carrier: str) -> dict[str, Any]:
    """The answer's object. Only what surely did not get through is a failure; all else is uncertain."""
    sent = {**headers, "content-type": "application/json"}
    try:
        reply = http.send(
            "POST", url, headers=sent, body=body, timeout=TIMEOUT_SECONDS, max_bytes=_MOST_BYTES
        )
    except HttpFailure as failure:
        if failure.sent:
            raise DeliveryUncertain from None
        raise Unavailable(f"{carrier} cannot be reached.") from None
    if reply.status >= 500:
        raise DeliveryUncertain
    if reply.status == 429:
        raise Unavailable(f"{carrier} asks for a rest.")
    if not 200 <= reply.status < 300:
        raise Conflict(f"{carrier} refused the mail ({reply.status}).")
    try:
        found = json.loads(reply.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode("ascii")


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value[:300] if isinstance(value, str) else ""
