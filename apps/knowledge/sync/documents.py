"""Documents between their source and their page (contract §11.2)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import date

NO_AI = "no-ai-cleanup"


@dataclass(frozen=True, kw_only=True)
class Document:
    """One document in normal form; ``raw`` is what its hash is made of."""

    external_id: str
    # Absence can only be told of documents that were named by their source.
    is_named: bool
    title: str
    slug: str | None = None
    content_html: str | None = field(default=None, repr=False)
    content_text: str | None = field(default=None, repr=False)
    source_url: str | None = None
    author_name: str | None = None
    knowledge_date: date | None = None
    raw: tuple[str | None, ...] = field(repr=False)

    def raw_hash(self, treatment: str) -> str:
        """SHA-256 of what came and of what is done with it."""
        written = json.dumps([*self.raw, treatment], ensure_ascii=False)
        return hashlib.sha256(written.encode(errors="replace")).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A document that could not become a page; what was stored of it before stays."""

    external_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """What one fetch brought. ``triggered`` says that the documents will be delivered later."""

    documents: tuple[Document, ...] = ()
    problems: tuple[Problem, ...] = ()
    received: int = 0
    http_status: int | None = None
    triggered: bool = False
    # How much the article of a page said, for comparison the next time.
    article_chars: int | None = None

    @property
    def tells_absence(self) -> bool:
        """Is what was not delivered really gone? Only a whole, readable and named delivery says so."""
        return bool(self.documents) and not self.problems and all(doc.is_named for doc in self.documents)
