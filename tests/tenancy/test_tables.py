"""The tables as the specification lists them, read from the database's own catalogue (contract §2.1 to §2.3)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from apps.tenancy.models import Tenant

# Column: what stands there when a writer says nothing. "!" means that the writer must say something, "?" NULL.
NOW, ID, EMPTY_OBJECT = "statement_timestamp()", "gen_random_uuid()", "'{}'::jsonb"
COLUMNS: dict[str, dict[str, str]] = {
    "tenants": {
        "id": ID, "slug": "!", "display_name": "!", "agent_name": "'Root'", "status": "'active'",
        "timezone": "'America/Los_Angeles'", "settings": EMPTY_OBJECT, "stytch_org_id": "?",
        "environment": "'live'", "live_tenant_id": "?", "created_at": NOW, "updated_at": NOW,
    },
    "tenant_credentials": {
        "id": ID, "tenant_id": "!", "kind": "!", "value": "!", "metadata": EMPTY_OBJECT, "updated_at": NOW,
    },
    "integrations": {
        "id": ID, "tenant_id": "!", "name": "!", "base_url": "!", "signing_secret": "!", "callback_token": "''",
        "status": "'active'", "manifest": "?", "manifest_fetched_at": "?", "tool_overrides": EMPTY_OBJECT,
        "endpoint_paths": EMPTY_OBJECT, "environment": "'dev'", "created_at": NOW,
    },
    "principals": {
        "id": ID, "tenant_id": "!", "ref": "!", "tier": "'unresolved'", "is_admin": "false",
        "traits": EMPTY_OBJECT, "slack_user_id": "?", "email": "?", "preferences": EMPTY_OBJECT,
        "tier_resolved_at": "?", "conversation_memory_updated_at": "?", "conversation_memory_source_count": "0",
        "conversation_memory_version": "1", "conversation_memory_reset_at": "?",
        "conversation_memory_last_attempted_at": "?",
    },
    "tenant_users": {"id": ID, "tenant_id": "!", "email": "!", "role": "!"},
    "platform_admins": {"id": ID, "email": "!"},
    "tenant_api_keys": {
        "id": ID, "tenant_id": "!", "name": "!", "token_prefix": "!", "token_hash": "!", "environment": "'live'",
        "revoked_at": "?", "created_at": NOW,
    },
    "platform_settings": {"key": "!", "value": "!", "updated_at": NOW},
    "tenant_channels": {
        "id": ID, "tenant_id": "!", "type": "!", "config": EMPTY_OBJECT, "secrets": EMPTY_OBJECT,
        "status": "'active'",
    },
    "tenant_assets": {"id": ID, "tenant_id": "!", "content": "!"},
    "llm_token_usage": {
        "id": ID, "tenant_id": "!", "purpose": "!", "model": "!", "prompt_tokens": "0",
        "completion_tokens": "0", "total_tokens": "0", "created_at": NOW,
    },
    "api_request_usage": {"id": ID, "tenant_id": "!", "surface": "!", "api_key_id": "?", "created_at": NOW},
    "integration_tool_calls": {
        "id": ID, "tenant_id": "!", "tool_name": "!", "duration_ms": "!", "success": "!", "created_at": NOW,
    },
    "root_prompts": {
        "id": ID, "tenant_id": "!", "key": "!", "content": "''", "description": "''", "updated_by": "''",
        "created_at": NOW, "updated_at": NOW,
    },
    "root_prompt_versions": {
        "id": ID, "tenant_id": "!", "key": "!", "content": "''", "saved_at": NOW, "saved_by": "''",
    },
    "slack_logs": {
        "id": ID, "tenant_id": "!", "direction": "'outbound'", "slack_channel_id": "''", "slack_user_id": "''",
        "thread_ts": "''", "message_ts": "''", "body_text": "''", "status": "'sent'", "error": "''",
        "metadata": EMPTY_OBJECT, "created_at": NOW,
    },
    "email_logs": {
        "id": ID, "tenant_id": "!", "direction": "'outbound'", "to_email": "''", "cc_emails": "'{}'::text[]",
        "subject": "''", "body_text": "''", "message_id": "''", "status": "'sent'", "error": "''",
        "metadata": EMPTY_OBJECT, "created_at": NOW,
    },
    "queue_job_events": {
        "queue": "!", "job_id": "!", "status": "!", "duration_ms": "?", "created_at": NOW,
    },
}  # fmt: skip
# Table, one set of values it takes, and one change that it refuses, whoever asks.
REFUSED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("tenants", {"slug": "a", "display_name": "A"}, {"status": "asleep"}),
    ("tenants", {"slug": "a", "display_name": "A"}, {"environment": "test"}),
    ("tenants", {"slug": "a", "display_name": "A"}, {"slug": "harbour"}),
    ("tenant_users", {"email": "a@b.example", "role": "owner"}, {"role": "king"}),
    ("tenant_channels", {"type": "web"}, {"type": "fax"}),
    ("tenant_channels", {"type": "web"}, {"status": "pending"}),
    (
        "tenant_assets",
        {"content_type": "image/png", "content": b"x", "content_hash": "h"},
        {"kind": "anthem"},
    ),
    ("slack_logs", {"body_text": "hello"}, {"direction": "sideways"}),
    ("email_logs", {"to_email": "a@b.example"}, {"direction": "sideways"}),
    ("api_request_usage", {"surface": "mcp_ask_agent"}, {"surface": "fax"}),
    (
        "tenant_api_keys",
        {"name": "n", "token_prefix": "p", "token_hash": "h", "environment": "dev"},
        {"environment": "x"},
    ),
    (
        "integrations",
        {"name": "n", "base_url": "u", "signing_secret": "s", "environment": "live"},
        {"status": "odd"},
    ),
    (
        "integrations",
        {"name": "n", "base_url": "u", "signing_secret": "s", "environment": "live"},
        {"environment": "dev"},
    ),
]
ONCE: list[tuple[str, dict[str, Any]]] = [
    ("tenant_credentials", {"kind": "k", "value": "v"}),
    ("tenant_users", {"email": "a@b.example", "role": "owner"}),
    ("tenant_channels", {"type": "web"}),
    ("tenant_assets", {"content_type": "image/png", "content": b"x", "content_hash": "h"}),
    ("integrations", {"name": "n", "base_url": "u", "signing_secret": "s", "environment": "live"}),
    ("principals", {"ref": "p-1"}),
    ("principals", {"ref": "p-1", "slack_user_id": "U1"}),
]


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_with_what_stands_there_unsaid(db: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, is_nullable, column_default FROM information_schema.columns"
            " WHERE table_name = %s AND table_schema = current_schema()",
            [table],
        )
        found = {name: (nullable == "YES", default) for name, nullable, default in cursor.fetchall()}
    wrong = {}
    for column, wanted in COLUMNS[table].items():
        nullable, default = found.get(column, (None, None))
        fits = {"!": nullable is False and default is None, "?": nullable is True and default is None}
        if not fits.get(wanted, default is not None and default.lower().startswith(wanted.lower())):
            wrong[column] = (wanted, found.get(column))
    assert wrong == {}


@pytest.mark.parametrize(("table", "values", "change"), REFUSED)
def test_the_database_refuses_what_the_specification_rules_out(
    tenant: Tenant, table: str, values: dict[str, Any], change: dict[str, Any]
) -> None:
    with transaction.atomic():
        _insert(table, tenant, values)
        transaction.set_rollback(True)
    with pytest.raises(IntegrityError), transaction.atomic():
        _insert(table, tenant, values | change)


@pytest.mark.parametrize(("table", "values"), ONCE)
def test_once_a_tenant_and_free_in_another(
    tenant: Tenant, other_tenant: Tenant, table: str, values: dict[str, Any]
) -> None:
    _insert(table, tenant, values)
    _insert(table, other_tenant, values)
    again = values | ({"ref": "p-2"} if "slack_user_id" in values else {})
    with pytest.raises(IntegrityError), transaction.atomic():
        _insert(table, tenant, again)


def test_one_shadow_a_live_row(tenant: Tenant) -> None:
    shadow = {"slug": "s1", "display_name": "S", "environment": "dev", "live_tenant_id": tenant.pk}
    _insert("tenants", tenant, shadow)
    with pytest.raises(IntegrityError), transaction.atomic():
        _insert("tenants", tenant, shadow | {"slug": "s2"})


def _insert(table: str, tenant: Tenant, values: dict[str, Any]) -> None:
    """As another program would: nothing of ours fills anything in."""
    row = values if table == "tenants" else {"tenant_id": tenant.pk, **values}
    places = ", ".join(["%s"] * len(row))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
