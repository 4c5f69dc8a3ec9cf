"""The knowledge surface: a collection's documents as pages, found by the search in pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.foundation.errors import BadInput
from apps.knowledge import frequencies
from apps.knowledge.audience import Audience
from apps.knowledge.page_files import read_page_file
from apps.knowledge.pages import save_page
from apps.knowledge.retrieval.page_lanes import BOTH_LANES, LaneName
from apps.knowledge.retrieval.pages import SearchOutcome, search_pages
from apps.knowledge.sweep import sweep
from scripts.evaluation.collections import Collection, demo_pages, say

Lanes = Sequence[LaneName]
LANES: dict[str, Lanes] = {"vector": ("vector",), "keyword": ("keyword",), "fused": BOTH_LANES}
TITLE_CHARS = 80
EVERYBODY = Audience(None, is_admin=True)


def load_documents(collection: Collection) -> dict[str, str]:
    """Saves each document as a page; returns the ids by slug. What no page can hold is left out and counted."""
    ids: dict[str, str] = {}
    refused = 0
    for number, document in enumerate(collection.documents, start=1):
        slug = f"document-{number}"
        title = document.title or document.text[:TITLE_CHARS]
        try:
            save_page(title=title, slug=slug, content_text=document.text or title)
        except BadInput:
            refused += 1
            continue
        ids[slug] = document.id
        if number % 200 == 0:
            say(f"{number} of {len(collection.documents)} documents")
    if refused:
        say(f"{refused} documents are empty and were left out")
    _settle()
    return ids


def load_demo() -> dict[str, str]:
    """The demo community's pages under their own slugs."""
    slugs = {}
    for path in demo_pages():
        file = read_page_file(path)
        saved = save_page(title=file.title, slug=file.slug, content_html=file.html, **file.details)
        slugs[saved.page.slug] = saved.page.slug
    _settle()
    return slugs


def searching(
    ids: dict[str, str], *, lane: str, rerank: bool
) -> Callable[[str], tuple[list[str], SearchOutcome]]:
    """A search that answers with document ids, best first, each once."""

    def search(query: str) -> tuple[list[str], SearchOutcome]:
        outcome = search_pages(query, audience=EVERYBODY, rerank=rerank, lanes=LANES[lane])
        return [ids[passage.slug] for passage in outcome.passages], outcome

    return search


def _settle() -> None:
    """Every vector made, every word counted, as after a sync."""
    sweep()
    frequencies.refresh()
