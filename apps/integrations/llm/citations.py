"""The pages a web research answer names, in whichever of three shapes they come (contract §5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from apps.foundation.text import clean, one_line

MOST: Final = 20
MAX_URL_LENGTH: Final = 2_048


@dataclass(frozen=True, kw_only=True)
class Citation:
    """One page. ``number`` is the one that a mark like [2] in the text means."""

    number: int
    title: str
    url: str


def read_citations(answer: dict[str, Any]) -> tuple[Citation, ...]:
    """``search_results`` first, since they have titles; else ``citations``; else OpenAI's annotations."""
    for named in (answer.get("search_results"), answer.get("citations"), _annotations(answer)):
        if found := tuple(_usable(named))[:MOST]:
            return found
    return ()


def _usable(named: Any) -> Iterator[Citation]:
    for number, entry in enumerate(named if isinstance(named, list) else [], 1):
        page = entry if isinstance(entry, dict) else {"url": entry}
        url, title = _web_address(page.get("url")), page.get("title")
        if url:
            shown = one_line(title) if isinstance(title, str) else ""
            yield Citation(number=number, title=shown or (urlsplit(url).hostname or url), url=url)


def _web_address(given: Any) -> str:
    if not isinstance(given, str) or len(given) > MAX_URL_LENGTH or clean(given) != given:
        return ""
    try:
        parts = urlsplit(given.strip())
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    # A name or password before the host is nobody's to see, and makes one site look like another.
    _, userinfo, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=host)) if userinfo else given.strip()


def _annotations(answer: dict[str, Any]) -> list[Any]:
    """One for each place in the text, so a page may come several times."""
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    noted = message.get("annotations") if isinstance(message, dict) else None
    pages = (
        [note.get("url_citation") for note in noted if isinstance(note, dict)]
        if isinstance(noted, list)
        else []
    )
    by_url = {str(page.get("url")): page for page in pages if isinstance(page, dict)}
    return list(by_url.values())
