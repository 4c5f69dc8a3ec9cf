"""``manage.py page add SLUG FILE``: puts a Markdown or HTML file into a community's knowledge base."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from apps.foundation.commands import SentenceCommand
from apps.knowledge.indexing import embed_pending
from apps.knowledge.models import KnowledgeChunk
from apps.knowledge.page_files import read_page_file
from apps.knowledge.pages import SavedPage, save_page
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant


class Command(SentenceCommand):
    """Adding the same file again updates its page, or finds it unchanged."""

    help = "Adds pages to the knowledge base of a community."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help="Add a page from a file, or update the one with the same slug.")
        add.add_argument("slug", help="the community")
        add.add_argument(
            "file", type=Path, help="a .md or .html file; TOML front matter stands between +++ lines"
        )

    def perform(self, **options: Any) -> None:
        with tenant_context(find_tenant(options["slug"])):
            self.say(_sentence(_added(options["file"])))


def _added(path: Path) -> SavedPage:
    file = read_page_file(path)
    saved = save_page(title=file.title, slug=file.slug, content_html=file.html, **file.details)
    while embed_pending(page=saved.page).embedded:
        """A long page goes on where saving left off."""
    return saved


def _sentence(saved: SavedPage) -> str:
    what = "Created" if saved.created else "Updated" if saved.changed else "Unchanged"
    chunks = KnowledgeChunk.objects.filter(knowledge_page=saved.page)
    total, waiting = chunks.count(), chunks.filter(embedding__isnull=True).count()
    state = (
        f"{waiting} of {total} chunks wait for the embedder" if waiting else f"{total} chunks, all embedded"
    )
    return f"{what} {saved.page.slug}: {state}."
