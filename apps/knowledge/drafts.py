"""A page as it is about to be stored: checked, sanitised and hashed (contract §2.5, §11.2)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape
from typing import Any, TypedDict
from uuid import UUID

from apps.foundation.errors import BadInput
from apps.foundation.html import safe_link, sanitize_html
from apps.foundation.text import clean
from apps.knowledge.chunking import text_of

MAX_CONTENT_CHARS = 5_000_000
MAX_TITLE_CHARS = 50_000
MAX_FIELD_CHARS = 4_000
_SOURCE_TYPE = re.compile(r"[a-z][a-z0-9_]{0,59}")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")


class PageDetails(TypedDict, total=False):
    """What a page may carry beside its title and content; a key that is absent changes nothing."""

    source_url: str | None
    author_name: str | None
    # The reference of the member whose page it is.
    author_member_id: str | None
    knowledge_date: date | str | None
    source_type: str
    source_message_text: str | None
    extracted_knowledge_id: UUID | None
    is_public: bool
    # None is everybody, an empty list only admins.
    audience_tiers: Sequence[str] | None


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Checked content; ``fields`` holds only the metadata that was given."""

    title: str
    html: str
    text: str
    content_hash: str
    fields: dict[str, Any]


def draft(*, title: str, content_html: str | None, content_text: str | None, details: PageDetails) -> Draft:
    """Checks and sanitises a page; raises :class:`BadInput` with a sentence that says what to change."""
    name = checked_title(title)
    html = _content(content_html, content_text)
    text = text_of(html)
    if not text:
        raise BadInput("A page needs content: nothing readable was sent in content_html or content_text.")
    return Draft(
        title=name,
        html=html,
        text=text,
        content_hash=content_hash(name, html),
        fields={key: _CHECKS[key](value, key) for key, value in details.items()},
    )


def content_hash(title: str, html: str) -> str:
    """SHA-256 of what is embedded and shown; the same page sent again gives the same."""
    return hashlib.sha256(json.dumps([title, html], ensure_ascii=False).encode()).hexdigest()


def checked_title(title: object) -> str:
    """A title on one line."""
    name = " ".join(clean(_string(title, "title", limit=MAX_TITLE_CHARS)).split())
    if not name:
        raise BadInput("A page needs a title.")
    return name


def _content(html: object, text: object) -> str:
    for value, name in ((html, "content_html"), (text, "content_text")):
        if value is not None:
            _string(value, name, limit=MAX_CONTENT_CHARS)
    if isinstance(html, str) and html.strip():
        return sanitize_html(html)
    return sanitize_html(_as_paragraphs(text)) if isinstance(text, str) else ""


def _as_paragraphs(text: str) -> str:
    blocks = (block.strip() for block in _PARAGRAPHS.split(clean(text)))
    return "\n".join(f"<p>{escape(block)}</p>".replace("\n", "<br>\n") for block in blocks if block)


def _string(value: object, name: str, *, limit: int = MAX_FIELD_CHARS) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} must be a text.")
    if len(value) > limit:
        raise BadInput(f"{name} is too long: at most {limit:,} characters.")
    return value


def _optional_text(value: object, name: str) -> str | None:
    return None if value is None else " ".join(clean(_string(value, name)).split()) or None


def _source_url(value: object, name: str) -> str | None:
    url = _optional_text(value, name)
    if url is None:
        return None
    safe = safe_link(url)
    if safe is None or not safe.lower().startswith(("http://", "https://")):
        raise BadInput(f"{name} must be a web address that begins with http:// or https://.")
    return safe


def _date(value: object, name: str) -> date | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return datetime.fromisoformat(_string(value, name).strip()).date()
    except ValueError:
        raise BadInput(f"{name} must be a date such as 2026-03-31.") from None


def _source_type(value: object, name: str) -> str:
    kind = _string(value, name)
    if not _SOURCE_TYPE.fullmatch(kind):
        raise BadInput(f"{name} must be a lower-case word such as manual.")
    return kind


def _long_text(value: object, name: str) -> str | None:
    return None if value is None else clean(_string(value, name, limit=MAX_CONTENT_CHARS)) or None


def _row_id(value: object, name: str) -> UUID | None:
    if value is not None and not isinstance(value, UUID):
        raise BadInput(f"{name} must be the id of a row.")
    return value


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{name} must be true or false.")
    return value


def _tiers(value: object, name: str) -> list[str] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        raise BadInput(f"{name} must be a list of tier names.")
    tiers = [_optional_text(tier, name) for tier in value]
    if len(tiers) > 100 or not all(tiers):
        raise BadInput(f"{name} must be a list of at most 100 tier names.")
    return sorted({tier for tier in tiers if tier})


_CHECKS = {
    "source_url": _source_url,
    "author_name": _optional_text,
    "author_member_id": _optional_text,
    "knowledge_date": _date,
    "source_type": _source_type,
    "source_message_text": _long_text,
    "extracted_knowledge_id": _row_id,
    "is_public": _switch,
    "audience_tiers": _tiers,
}
