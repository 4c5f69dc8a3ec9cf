"""Calls of a conformance run: signed as Root signs them, or wrongly on purpose (contract §7.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.foundation.http import open_stream
from apps.foundation.http_failure import HttpFailure
from apps.foundation.signing import signed_headers
from apps.foundation.wire_json import BadJson, read_json, write_json
from apps.integrations.models import Integration
from apps.integrations.rootint.endpoints import ENDPOINTS, EndpointKey, url_for
from apps.integrations.rootint.wire import MAX_REPLY_BYTES, MAX_ROSTER_PARTS

_ACCEPT = "application/json, application/x-ndjson"
MAX_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Heard:
    """What one call brought: a reply, or the reason why there is none."""

    status: int = 0
    content_type: str = ""
    raw: bytes = field(default=b"", repr=False)
    failure: HttpFailure | None = None

    @property
    def good(self) -> bool:
        """Did the backend say yes?"""
        return 200 <= self.status < 300

    @property
    def declined(self) -> bool:
        """Did it refuse the request as the caller's fault?"""
        return 400 <= self.status < 500

    def json(self) -> Any:
        """The body's value; raises :class:`BadJson`."""
        return read_json(self.raw, most_parts=MAX_ROSTER_PARTS)

    def json_or_none(self) -> Any:
        """The body's value, None when it is not JSON."""
        try:
            return self.json()
        except BadJson:
            return None

    def shown(self) -> str:
        """The outcome in a few words."""
        if self.failure is not None:
            return self.failure.message
        said = self.raw[:MAX_SHOWN].decode("utf-8", "replace")
        return f"HTTP {self.status} {said!a}" if said else f"HTTP {self.status}"


def signed(
    row: Integration,
    key: EndpointKey,
    *,
    body: bytes = b"",
    tool: str = "",
    timeout: float | None = None,
    now: int | None = None,
) -> Heard:
    """A call as Root makes it; ``now`` lets it be made at another time."""
    return sent(
        row,
        key,
        body=body,
        tool=tool,
        timeout=timeout,
        headers=signed_headers(row.signing_secret, body=body, now=now),
    )


def sent(
    row: Integration,
    key: EndpointKey,
    *,
    headers: Mapping[str, str],
    body: bytes = b"",
    tool: str = "",
    timeout: float | None = None,
) -> Heard:
    """A call with exactly these headers."""
    endpoint = ENDPOINTS[key]
    try:
        with open_stream(
            endpoint.method,
            url_for(row, key, tool=tool),
            headers={"accept": _ACCEPT, **headers},
            body=body if endpoint.method == "POST" else None,
            timeout=timeout or endpoint.timeout_seconds,
            max_bytes=MAX_REPLY_BYTES,
        ) as reply:
            kind = reply.headers.get("content-type", "")
            return Heard(status=reply.status, content_type=kind, raw=reply.read())
    except HttpFailure as failure:
        return Heard(failure=failure)


def left_half_way(row: Integration, key: EndpointKey, *, body: bytes, tool: str) -> None:
    """Sends a call and leaves without reading the answer, as Root does when time is up."""
    headers = signed_headers(row.signing_secret, body=body)
    url = url_for(row, key, tool=tool)
    try:
        with open_stream(ENDPOINTS[key].method, url, headers=headers, body=body, timeout=0.05):
            pass
    except HttpFailure:
        return


def as_body(value: Any) -> bytes:
    """The bytes of a request."""
    return write_json(value)
