"""How the documents of each kind of source come in (contract §11.1)."""

from __future__ import annotations

from collections.abc import Callable

from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync.documents import Fetched
from apps.knowledge.sync.fetchers import api_pull, api_push, web_page, webhook

Fetch = Callable[[KnowledgeSource, KnowledgeSyncRun], Fetched]

_FETCHERS: dict[str, Fetch] = {
    KnowledgeSource.Kind.WEB_PAGE: web_page.fetch,
    KnowledgeSource.Kind.API_PULL: api_pull.fetch,
    KnowledgeSource.Kind.WEBHOOK: webhook.fetch,
    KnowledgeSource.Kind.API_PUSH: api_push.fetch,
}


def fetch(source: KnowledgeSource, run: KnowledgeSyncRun) -> Fetched:
    """The documents of a run: those delivered with it, else what the source gives."""
    if "documents" in run.input_payload:
        return api_push.fetch(source, run)
    return _FETCHERS[source.source_kind](source, run)
