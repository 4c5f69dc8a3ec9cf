"""Sources and runs as people and programs may see them: never a secret (contract §2.5, §12.2)."""

from __future__ import annotations

from typing import Any

from apps.knowledge.models import KnowledgeSource, KnowledgeSyncRun
from apps.knowledge.source_fields import SECRETS

_SOURCE = (
    "source_key",
    "name",
    "source_kind",
    "status",
    "url",
    "http_method",
    "request_headers",
    "request_body",
    "auth_type",
    "auth_config",
    "response_mode",
    "mapping",
    "schedule_interval_minutes",
    "replace_missing",
    "ai_cleanup",
    "ai_cleanup_instructions",
    "audience_tiers",
    "consecutive_failures",
    "last_error",
)
_SOURCE_TIMES = ("next_sync_at", "last_synced_at", "created_at", "updated_at")
COUNTERS = (
    "documents_received",
    "pages_created",
    "pages_updated",
    "pages_unchanged",
    "pages_deleted",
    "ai_cleaned",
)
_RUN = ("trigger_type", "status", *COUNTERS, "http_status", "error", "metadata")
_RUN_TIMES = ("created_at", "started_at", "finished_at")


def source_view(source: KnowledgeSource) -> dict[str, Any]:
    """A source; of its secrets only which there are."""
    return {
        "id": str(source.pk),
        **{name: getattr(source, name) for name in _SOURCE},
        "secrets_set": [name for name in SECRETS if source.secrets.get(name)],
        **_times(source, _SOURCE_TIMES),
    }


def run_view(run: KnowledgeSyncRun) -> dict[str, Any]:
    """A run with its counters; not what was delivered with it."""
    return {
        "id": str(run.pk),
        "source_id": str(run.source_id),
        **{name: getattr(run, name) for name in _RUN},
        **_times(run, _RUN_TIMES),
    }


def _times(row: object, names: tuple[str, ...]) -> dict[str, str | None]:
    moments = {name: getattr(row, name) for name in names}
    return {name: moment.isoformat() if moment else None for name, moment in moments.items()}
