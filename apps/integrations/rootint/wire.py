"""Signed calls to a backend (contract §7.1, §7.2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from apps.foundation.errors import BadInput
from apps.foundation.http import HttpStream, open_stream
from apps.foundation.http_failure import HttpFailure
from apps.foundation.signing import EmptySecret, signed_headers
from apps.foundation.wire_json import MAX_PARTS, BadJson, read_json
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import ENDPOINTS, EndpointKey, url_for

MAX_REPLY_BYTES = 16 * 1024 * 1024
MAX_SMALL_REPLY_BYTES = 2 * 1024 * 1024
MAX_ROSTER_BYTES = 32 * 1024 * 1024
MAX_ROSTER_PARTS = 2_000_000


@contextmanager
def signed_stream(
    integration: Integration,
    key: EndpointKey,
    *,
    body: bytes = b"",
    tool: str = "",
    timeout: float | None = None,
    max_bytes: int = MAX_SMALL_REPLY_BYTES,
) -> Iterator[HttpStream]:
    """One signed call, no retry. The signature covers the very bytes sent, nothing for GET."""
    endpoint = ENDPOINTS[key]
    try:
        url = url_for(integration, key, tool=tool)
        headers = signed_headers(integration.signing_secret, body=body)
    except (EmptySecret, BadInput) as error:
        raise HttpFailure("refused", str(error)) from None
    with open_stream(
        endpoint.method,
        url,
        headers={**headers, "accept": "application/json, application/x-ndjson"},
        body=body if endpoint.method == "POST" else None,
        timeout=endpoint.timeout_seconds if timeout is None else timeout,
        max_bytes=max_bytes,
    ) as reply:
        yield reply


def signed_json(
    integration: Integration,
    key: EndpointKey,
    *,
    body: bytes = b"",
    max_bytes: int = MAX_SMALL_REPLY_BYTES,
    most_parts: int = MAX_PARTS,
    reply_matters: bool = True,
) -> tuple[int, Any]:
    """Status and JSON of a reply. Only a success must be JSON, and only if its content matters."""
    with signed_stream(integration, key, body=body, max_bytes=max_bytes) as reply:
        status, raw = reply.status, reply.read()
    try:
        return status, read_json(raw, most_parts=most_parts)
    except BadJson:
        if reply_matters and 200 <= status < 300:
            raise HttpFailure("bad_response", "The backend's reply is not JSON.") from None
        return status, None


def expect_success(status: int) -> None:
    """Raises unless the backend said yes."""
    if not 200 <= status < 300:
        raise HttpFailure("bad_response", f"The backend answered with status {status}.")
