"""Rules of the house that no linter knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[1]
ORDER = ["tenancy", "integrations", "knowledge", "agent", "channels", "api", "dashboard"]
# Where all tenants' rows may be reached at once, and why.
UNSCOPED_USES = {
    "apps/tenancy/scoping.py": "defines it",
    "apps/tenancy/api_keys.py": "a key names its tenant only once it is found",
    "apps/tenancy/sessions.py": "whoever signs in may be listed in any community",
    "apps/dashboard/rows.py": "operators see all tenants; whoever signs in asks where they have a role",
    "apps/agent/record/retention.py": "old records go, whoever they are of",
    "apps/tenancy/idempotency.py": "old requests go, whoever they are of",
    "apps/knowledge/trash.py": "deleted pages rest a week, whoever they are of",
    "apps/knowledge/sync/run_retention.py": "so do what was delivered with old runs, and the runs",
    "apps/knowledge/link_retention.py": "so do links to pages whose time is over",
    "apps/agent/record/reading.py": "a trace id names its tenant only once it is found",
}


def test_every_foreign_key_points_down() -> None:
    upward = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        if model._meta.app_label in ORDER
        for field in model._meta.get_fields()
        if field.is_relation and field.concrete and field.related_model is not None
        if field.related_model._meta.app_label in ORDER  # type: ignore[union-attr]
        if ORDER.index(field.related_model._meta.app_label) > ORDER.index(model._meta.app_label)  # type: ignore[union-attr]
    ]
    assert upward == []


def test_every_table_but_the_named_ones_is_scoped_to_a_tenant() -> None:
    from apps.tenancy.scoping import TenantModel

    unscoped = {
        model.__name__
        for model in apps.get_models()
        if model._meta.app_label in ORDER and not issubclass(model, TenantModel)
    }
    assert unscoped == {
        "Tenant",
        "Operator",
        "PlatformAdmin",
        "PlatformSetting",
        "QueueJob",
        "QueueJobEvent",
    }


def test_the_unscoped_escape_is_used_only_where_named() -> None:
    users = {
        str(file.relative_to(ROOT))
        for file in ROOT.glob("apps/**/*.py")
        if re.search(r"\bunscoped\b", file.read_text())
    }
    assert users == UNSCOPED_USES.keys()


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "misc"])
def test_no_warehouse_is_opened(name: str) -> None:
    assert not [f for f in ROOT.glob(f"apps/**/{name}*") if f.suffix in {".py", ""}]
