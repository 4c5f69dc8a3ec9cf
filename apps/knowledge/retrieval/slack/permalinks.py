"""Slack's links to messages, read and told from other addresses; pure (contract §10.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 3
_LINK = re.compile(
    r"<?https://[A-Za-z0-9][A-Za-z0-9.-]{0,100}\.slack(?:-gov)?\.com/archives/(?P<channel>[CGD][A-Z0-9]{1,40})/p"
    r"(?P<second>[0-9]{10})(?P<fraction>[0-9]{6})(?P<query>\?[^\s<>|]{0,300})?(?:\|[^>\n]{0,300})?>?"
)
_THREAD = re.compile(r"[?&](?:amp;)?thread_ts=([0-9]{10}\.[0-9]{6})(?![0-9])")


@dataclass(frozen=True)
class Permalink:
    """The message a link leads to."""

    channel_id: str
    ts: str
    thread_ts: str | None = None

    @property
    def ref(self) -> str:
        return f"{self.channel_id}:{self.ts}"


def permalinks_in(text: str) -> list[Permalink]:
    """The first few messages a text links to, each once."""
    return list(dict.fromkeys(_read(found) for found in _LINK.finditer(text)))[:MOST]


def without_permalinks(text: str) -> str:
    """The text without its links to messages: as words they would only mislead a search."""
    return " ".join(_LINK.sub(" ", text).split()) if _LINK.search(text) else text


def permalink_of(url: str) -> Permalink | None:
    """The message an address leads to, if it is a link to one and nothing else."""
    found = _LINK.fullmatch(url.strip())
    return _read(found) if found else None


def _read(found: re.Match[str]) -> Permalink:
    ts = f"{found['second']}.{found['fraction']}"
    thread = _THREAD.search(found["query"] or "")
    return Permalink(found["channel"], ts, thread[1] if thread else None)
