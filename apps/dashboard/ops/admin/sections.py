"""The order of the admin's front page: by what operators do, not by Django app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Model

# Section, then its tables with the words for them.
_ORDER: Final = (
    (
        "Communities",
        (
            ("Tenant", "Tenants"),
            ("TenantUser", "Dashboard users"),
            ("TenantApiKey", "API keys"),
            ("Integration", "Backends"),
        ),
    ),
    ("Jobs", (("QueueJob", "Jobs"), ("QueueJobEvent", "Ended jobs"), ("PeriodicTask", "Schedule"))),
    (
        "Records",
        (
            ("AgentRun", "Turns"),
            ("ConversationLog", "Messages"),
            ("IntegrationToolCall", "Calls to backends"),
            ("LlmTokenUsage", "Calls to models"),
            ("HumanIntervention", "Waiting for people"),
        ),
    ),
    ("Platform", (("PlatformAdmin", "Operators"),)),
)


def sections(apps: Iterable[Mapping[str, Any]], *, queues: str) -> list[dict[str, Any]]:
    """Django's list of apps as sections of ours; the overview of queues leads the jobs."""
    tables = {table["object_name"]: table for app in apps for table in app["models"]}
    found = []
    for title, names in _ORDER:
        models = [{**tables[name], "name": words} for name, words in names if name in tables]
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


def words_for(model: type[Model]) -> str:
    """What a table is called here."""
    return next(words for _, names in _ORDER for name, words in names if name == model.__name__)


def _page(words: str, address: str) -> dict[str, Any]:
    return {"name": words, "object_name": words, "admin_url": address, "add_url": None, "view_only": True}
