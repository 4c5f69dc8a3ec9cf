"""Documents that were delivered with the request for the run (contract §11.1)."""

from __future__ import annotations

from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.sync.documents import Fetched
from apps.knowledge.sync.failure import SyncFailure
from apps.knowledge.sync.normalize import normalized


def fetch(source: KnowledgeSource, run: KnowledgeSyncRun) -> Fetched:
    """The delivered documents; a source that is pushed to has nothing else to give."""
    given = run.input_payload.get("documents")
    if not isinstance(given, list):
        raise SyncFailure("This source is pushed to: a sync of it comes with its documents.")
    documents, problems = normalized(given)
    return Fetched(documents=documents, problems=problems, received=len(given))
