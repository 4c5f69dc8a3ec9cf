"""Calling the address of a source through the guarded client (contract §11.1, §11.2)."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from apps.foundation import http
from apps.foundation.http import HttpReply
from apps.foundation.http_failure import HttpFailure
from apps.knowledge.models import KnowledgeSource
from apps.knowledge.sync.failure import SyncFailure

FETCH_SECONDS = 45.0
MAX_BYTES = 10 * 1024 * 1024
DEFAULT_KEY_HEADER = "x-api-key"
_TRY_AGAIN = frozenset({408, 425, 429})
_SAID = {
    401: "it wants a sign-in that Root does not have",
    403: "it does not let Root in; a bot protection or missing rights are the usual reasons",
    404: "there is nothing at this address",
    407: "a proxy wants a sign-in",
    410: "what was there is gone",
    429: "it asks for fewer calls",
}


def call(
    source: KnowledgeSource,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> HttpReply:
    """One call of the source's address; raises :class:`SyncFailure` unless it answers with success."""
    sent = {**source.request_headers, **credentials(source), **(headers or {})}
    try:
        reply = http.send(
            method,
            source.url or "",
            headers=sent,
            body=body,
            timeout=FETCH_SECONDS,
            max_bytes=MAX_BYTES,
            follow_redirects=method == "GET",
        )
    except HttpFailure as failure:
        soon = failure.retryable or failure.kind in ("timeout", "network", "bad_response")
        raise SyncFailure(f"Fetching failed: {failure.message}", retryable=soon) from None
    if not 200 <= reply.status < 300:
        raise _refused(reply.status)
    return reply


def credentials(source: KnowledgeSource) -> dict[str, str]:
    """The headers that let Root in."""
    secrets = source.secrets
    match source.auth_type:
        case "bearer":
            return {"authorization": f"Bearer {secrets.get('token', '')}"}
        case "basic":
            pair = f"{source.auth_config.get('username', '')}:{secrets.get('password', '')}"
            return {"authorization": f"Basic {base64.b64encode(pair.encode()).decode('ascii')}"}
        case "api_key":
            name = source.auth_config.get("header_name") or DEFAULT_KEY_HEADER
            return {name.lower(): secrets.get("token", "")}
        case _:
            return {}


def _refused(status: int) -> SyncFailure:
    said = _SAID.get(status)
    if said is None:
        said = "it redirects elsewhere" if status < 400 else "it failed" if status >= 500 else "it refused"
    return SyncFailure(
        f"The source answered with status {status}: {said}.",
        retryable=status in _TRY_AGAIN or status >= 500,
        http_status=status,
    )
