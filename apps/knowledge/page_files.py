"""Pages written as files: Markdown or HTML with optional TOML front matter between ``+++`` lines."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from apps.foundation.errors import BadInput
from apps.foundation.html import render_markdown
from apps.knowledge.chunking.reader import Heading, read_pieces
from apps.knowledge.drafts import MAX_CONTENT_CHARS, PageDetails
from apps.knowledge.slugs import derived_slug

MARKDOWN = frozenset({".md", ".markdown"})
HTML = frozenset({".html", ".htm"})
_FRONT = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DETAILS = frozenset(PageDetails.__annotations__)
_KNOWN = _DETAILS | {"title", "slug"}


@dataclass(frozen=True)
class PageFile:
    """A page as its file describes it; the slug is stable, so that adding the file again updates the page."""

    title: str
    slug: str
    html: str
    details: PageDetails


def read_page_file(path: Path) -> PageFile:
    """Reads and checks a file; raises :class:`BadInput` with a sentence that names it."""
    suffix = path.suffix.lower()
    if suffix not in MARKDOWN | HTML:
        raise BadInput(f"{path} is neither Markdown (.md) nor HTML (.html).")
    front, body = _split(_read(path), path)
    html = render_markdown(body) if suffix in MARKDOWN else body
    title = front.pop("title", None) or _first_heading(html) or path.stem
    slug = front.pop("slug", None) or derived_slug(str(title))
    for name, value in (("title", title), ("slug", slug)):
        if not isinstance(value, str):
            raise BadInput(f"{path}: {name} must be a text.")
    return PageFile(title=title, slug=slug, html=html, details=cast(PageDetails, front))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CONTENT_CHARS * 4:
            raise BadInput(f"{path} is too large: at most {MAX_CONTENT_CHARS:,} characters.")
        return path.read_text("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not text in UTF-8.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None


def _split(text: str, path: Path) -> tuple[dict[str, Any], str]:
    found = _FRONT.match(text)
    if found is None:
        if text.startswith("+++"):
            raise BadInput(f"{path}: the front matter has no closing +++ line.")
        return {}, text
    try:
        front = tomllib.loads(found[1])
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: the front matter is not TOML: {error}.") from None
    unknown = sorted(front.keys() - _KNOWN)
    if unknown:
        raise BadInput(
            f"{path}: unknown in front matter: {', '.join(unknown)}. Known: {', '.join(sorted(_KNOWN))}."
        )
    return front, text[found.end() :]


def _first_heading(html: str) -> str | None:
    return next((piece.text for piece in read_pieces(html) if isinstance(piece, Heading)), None)
