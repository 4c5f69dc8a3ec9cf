"""Personal links a backend issues for its own pages (contract §7.3)."""

from __future__ import annotations

from urllib.parse import urlsplit

from apps.foundation.http_failure import HttpFailure
from apps.foundation.wire_json import clean_json, write_json
from apps.integrations.models import Integration
from apps.integrations.rootint.wire import expect_success, signed_json

MAX_URL_LENGTH = 4_000


def issue_link(integration: Integration, *, destination: str, principal_ref: str) -> str:
    """The address for one person; raises :class:`HttpFailure`. It is a secret of theirs: never log it."""
    body = write_json(clean_json({"destination": destination, "principal_ref": principal_ref}))
    status, reply = signed_json(integration, "links_issue", body=body)
    expect_success(status)
    url = reply.get("url") if isinstance(reply, dict) else None
    if not isinstance(url, str) or not _is_link(url):
        raise HttpFailure("bad_response", "The backend's reply holds no usable link.")
    return url


def _is_link(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = len(url) <= MAX_URL_LENGTH and url.isprintable() and not set(url) & set(' <>"|')
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)
