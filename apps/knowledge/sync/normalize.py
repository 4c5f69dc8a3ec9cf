"""What a source calls a document, brought into normal form (contract §11.2)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from apps.foundation.errors import BadInput
from apps.foundation.html import safe_link
from apps.foundation.text import clean, is_blank
from apps.knowledge.chunking import text_of
from apps.knowledge.drafts import MAX_CONTENT_CHARS
from apps.knowledge.slugs import derived_slug
from apps.knowledge.sync.documents import Document, Problem

MAX_DOCUMENTS = 250
MAX_ID_CHARS = 500
MAX_TITLE_CHARS = 500
_TITLE_FROM_TEXT = 80


def normalized(given: Iterable[object]) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """Documents in the order they came, and those that are none with the reason.

    Of two with one id the later counts. Documents without an id get one that is the same with the next delivery:
    from their slug, address or title, numbered where several share it.
    """
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    for position, item in enumerate(given, start=1):
        label = f"document {position}"
        try:
            fields = _object(item)
            label = _given_id(fields.get("external_id")) or label
            document = _document(fields, taken=documents)
        except BadInput as error:
            problems.append(Problem(external_id=label, reason=error.message))
        else:
            documents.pop(document.external_id, None)
            documents[document.external_id] = document
    return tuple(documents.values()), tuple(problems)


def _object(item: object) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise BadInput("it is not an object")
    return item


def _document(item: Mapping[str, Any], *, taken: Mapping[str, Document]) -> Document:
    html, text = _content(item.get("content_html")), _content(item.get("content_text"))
    if html is None and text is None:
        raise BadInput("it has neither content_html nor content_text")
    slug, url = _line(item.get("slug"), 200), _url(item.get("source_url"))
    title = _line(item.get("title"), MAX_TITLE_CHARS) or _title_from(html, text)
    author, day = _line(item.get("author_name"), 300), _day(item.get("knowledge_date"))
    named = _given_id(item.get("external_id"))
    return Document(
        external_id=named or _made_id(slug, url, title, taken=taken),
        is_named=named is not None,
        title=title,
        slug=slug,
        content_html=html,
        content_text=None if html is not None else text,
        source_url=url,
        author_name=author,
        knowledge_date=day,
        raw=(title, slug, html, text, url, author, day.isoformat() if day else None),
    )


def _given_id(value: object) -> str | None:
    """7, 7.0 and "7" name the same document; an object names none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value == int(value) else repr(value)
    name = " ".join(clean(str(value)).split())
    return _bounded(name) if name else None


def _made_id(slug: str | None, url: str | None, title: str, *, taken: Mapping[str, Document]) -> str:
    base = f"slug:{slug}" if slug else f"url:{url}" if url else f"title:{derived_slug(title)}"
    base = _bounded(base)
    made, number = base, 1
    while made in taken:
        number += 1
        made = f"{base}#{number}"
    return made


def _bounded(name: str) -> str:
    if len(name) <= MAX_ID_CHARS:
        return name
    return f"{name[: MAX_ID_CHARS - 65]}~{hashlib.sha256(name.encode()).hexdigest()}"


def _content(value: object) -> str | None:
    """Text as it came; numbers and objects are shown as JSON writes them."""
    if value is None:
        return None
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, indent=1)
    if len(value) > MAX_CONTENT_CHARS:
        raise BadInput(f"it has more than {MAX_CONTENT_CHARS:,} characters")
    value = clean(value)
    return None if is_blank(value) else value


def _title_from(html: str | None, text: str | None) -> str:
    """The first words of the content, when the source gives no title."""
    shown = text_of(html) if html is not None else (text or "")
    first = next((line.strip() for line in shown.splitlines() if line.strip()), "")
    if not first:
        raise BadInput("there is nothing to read in it")
    return first if len(first) <= _TITLE_FROM_TEXT else first[:_TITLE_FROM_TEXT].rsplit(" ", 1)[0] + "…"


def _line(value: object, limit: int) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = ", ".join(value)
    if not isinstance(value, str):
        return None
    return " ".join(clean(value).split())[:limit].rstrip() or None


def _url(value: object) -> str | None:
    url = safe_link(value.strip()) if isinstance(value, str) else None
    return url if url and url.lower().startswith(("http://", "https://")) and len(url) <= 4_000 else None


def _day(value: object) -> date | None:
    """A day in any of the usual spellings; what is none is left out, since a page is good without it."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC).date()
        if not isinstance(value, str) or not value.strip():
            return None
        return _written_day(value.strip())
    except (ValueError, OverflowError, OSError):
        return None


def _written_day(text: str) -> date:
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return parsedate_to_datetime(text).date()
