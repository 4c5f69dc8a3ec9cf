"""Files of messages, fetched with the community's token, which goes to Slack and nowhere else (contract §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from apps.foundation import http
from apps.foundation.environment import env
from apps.foundation.http_failure import HttpFailure
from apps.foundation.pictures import picture_type
from apps.foundation.text import clean, one_line
from apps.integrations.slack.credentials import slack_credentials
from apps.integrations.slack.failure import SlackFailure, not_connected
from apps.integrations.slack.reading import text_of

MAX_BYTES: Final = 5 * 1024 * 1024
TIMEOUT_SECONDS: Final = 30.0
_SLACK: Final = ("slack.com", "slack-files.com", "slack-edge.com")
_TEXT_TYPES: Final = frozenset(
    {"text", "markdown", "post", "space", "csv", "tsv", "json", "yaml", "xml", "html", "log", "rtf", "diff"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackFile:
    """What a file is; ``data`` only where it is a picture or text of a size a model can take."""

    name: str
    kind: Literal["picture", "text", "other"]
    data: bytes = field(default=b"", repr=False)

    @property
    def text(self) -> str:
        return clean(self.data.decode("utf-8", errors="replace")) if self.kind == "text" else ""


def fetch_file(record: Mapping[str, Any]) -> SlackFile:
    """A file by the object Slack sends with a message.

    Raises :class:`SlackFailure` or :class:`HttpFailure`; a file that is not Slack's, is too large or of a type
    nobody reads comes back by its name alone.
    """
    name = one_line(text_of(record, "title") or text_of(record, "name"), limit=200) or "a file"
    address = text_of(record, "url_private_download") or text_of(record, "url_private")
    looks = _looks(record)
    if looks == "other" or not _is_slacks(address) or _size(record) > MAX_BYTES:
        return SlackFile(name=name, kind="other")
    data = _fetched(address)
    if looks == "picture" and picture_type(data) is None:
        # A page that asks to sign in, most likely: the token lacks the right to read files.
        raise SlackFailure("file_unreadable", "Slack did not hand out a file.")
    return SlackFile(name=name, kind=looks, data=data)


def _looks(record: Mapping[str, Any]) -> Literal["picture", "text", "other"]:
    mimetype, filetype = text_of(record, "mimetype").lower(), text_of(record, "filetype").lower()
    if mimetype.startswith("image/") and mimetype != "image/svg+xml":
        return "picture"
    if mimetype.startswith("text/") or filetype in _TEXT_TYPES:
        return "text"
    return "other"


def _size(record: Mapping[str, Any]) -> int:
    size = record.get("size")
    return size if isinstance(size, int) else 0


def _is_slacks(address: str) -> bool:
    """Is the address one of Slack's own? Whoever sends an event must not be able to have the token sent to himself."""
    try:
        parts, api = urlsplit(address), urlsplit(env().slack_api_url)
        host = (parts.hostname or "").lower()
        if (parts.scheme, host, parts.port) == (api.scheme, api.hostname, api.port):
            return True
    except ValueError:
        return False
    return parts.scheme == "https" and any(host == name or host.endswith(f".{name}") for name in _SLACK)


def _fetched(address: str) -> bytes:
    token = slack_credentials().bot_token
    if token is None:
        raise not_connected()
    reply = http.send(
        "GET",
        address,
        headers={"authorization": f"Bearer {token.get_secret_value()}"},
        timeout=TIMEOUT_SECONDS,
        max_bytes=MAX_BYTES,
    )
    if reply.status == 429 or reply.status >= 500:
        raise HttpFailure("bad_response", "Slack could not hand out a file now.", retryable=True)
    if reply.status != 200:
        raise SlackFailure("file_unreadable", "Slack did not hand out a file.")
    return reply.body
