"""The order of the admin's front page: by what operators do, not by Django app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Model

# Section, then its tables with the words for them: as a title, for one row, for several.
_ORDER: Final = (
    (
        "Communities",
        (
            ("Tenant", "Tenants", "tenant", "tenants"),
            ("TenantUser", "Dashboard users", "dashboard user", "dashboard users"),
            ("TenantApiKey", "API keys", "API key", "API keys"),
            ("Integration", "Backends", "backend", "backends"),
        ),
    ),
    (
        "Jobs",
        (
            ("QueueJob", "Jobs", "job", "jobs"),
            ("QueueJobEvent", "Ended jobs", "ended job", "ended jobs"),
            ("PeriodicTask", "Schedule", "schedule row", "schedule rows"),
        ),
    ),
    (
        "Records",
        (
            ("AgentRun", "Turns", "turn", "turns"),
            ("ConversationLog", "Messages", "message", "messages"),
            ("IntegrationToolCall", "Calls to backends", "call to a backend", "calls to backends"),
            ("LlmTokenUsage", "Calls to models", "call to a model", "calls to models"),
            ("HumanIntervention", "Waiting for people", "open matter", "matters waiting for people"),
        ),
    ),
    ("Platform", (("PlatformAdmin", "Operators", "operator", "operators"),)),
)


def sections(apps: Iterable[Mapping[str, Any]], *, queues: str) -> list[dict[str, Any]]:
    """Django's list of apps as sections of ours; the overview of queues leads the jobs."""
    tables = {table["object_name"]: table for app in apps for table in app["models"]}
    found = []
    for title, names in _ORDER:
        models = [{**tables[name], "name": words} for name, words, *_ in names if name in tables]
        if title == "Jobs":
            models.insert(0, _page("Queues", queues))
        found.append(
            {
                "name": title,
                "app_label": title.lower(),
                "app_url": "",
                "has_module_perms": True,
                "models": models,
            }
        )
    return found


def words_for(model: type[Model]) -> tuple[str, str, str]:
    """What a table is called here: as a title, one row of it, and several."""
    rows = (row for _, rows in _ORDER for row in rows)
    return next((title, one, several) for name, title, one, several in rows if name == model.__name__)


def _page(words: str, address: str) -> dict[str, Any]:
    return {"name": words, "object_name": words, "admin_url": address, "add_url": None, "view_only": True}
