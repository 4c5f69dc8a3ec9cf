"""What is remembered of a person's conversations, and how it is forgotten (contract §6)."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from apps.foundation import clock
from apps.tenancy.models import Principal


def forget_memory(row: Principal, *, preferences_too: bool = False) -> Principal:
    """Empties the memory of a person; whoever is writing it at this moment sees by the version that it was.

    ``preferences_too`` also drops what tools noted in their ``preferences``.
    """
    changes: dict[str, Any] = {
        "conversation_memory": "",
        "conversation_memory_updated_at": None,
        "conversation_memory_source_count": 0,
        "conversation_memory_version": F("conversation_memory_version") + 1,
        "conversation_memory_reset_at": clock.now(),
        "conversation_memory_last_error": "",
        "updated_at": clock.now(),
    }
    if preferences_too:
        changes["preferences"] = {}
    Principal.objects.filter(pk=row.pk).update(**changes)
    row.refresh_from_db()
    return row
