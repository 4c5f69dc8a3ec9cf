"""Indexes and references of §2.1 to §2.3, as the database itself has them."""

from __future__ import annotations

import pytest
from django.db import connection

UNIQUE = [
    ("tenants", "(slug)"),
    ("tenants", "(live_tenant_id) WHERE (live_tenant_id IS NOT NULL)"),
    ("tenant_credentials", "(tenant_id, kind)"),
    ("integrations", "(tenant_id, name, environment)"),
    ("principals", "(tenant_id, ref)"),
    ("principals", "(tenant_id, slack_user_id) WHERE (slack_user_id IS NOT NULL)"),
    ("conversation_logs", "(tenant_id, dedupe_key)"),
    ("root_prompts", "(tenant_id, key)"),
    ("tenant_users", "(tenant_id, email)"),
    ("tenant_api_keys", "(token_hash)"),
    ("tenant_channels", "(tenant_id, type)"),
    ("tenant_assets", "(tenant_id, kind)"),
    ("platform_admins", "(email)"),
    ("platform_settings", "(key)"),
]
PLAIN = [
    ("integrations", "(tenant_id, environment)"),
    ("principals", "(tenant_id, email)"),
    ("conversation_logs", "(tenant_id, message_at DESC)"),
    ("conversation_logs", "thread_key"),
    ("conversation_logs", "exchange_key"),
    ("conversation_logs", "external_message_id"),
    ("root_prompt_versions", "(tenant_id, key, saved_at DESC)"),
    ("tenant_users", "lower(email)"),
    ("slack_logs", "(tenant_id, created_at DESC)"),
    ("email_logs", "(tenant_id, created_at DESC)"),
]
OF_TENANTS = [
    "tenants", "tenant_credentials", "integrations", "principals", "conversation_logs", "root_prompts",
    "root_prompt_versions", "llm_token_usage", "api_request_usage", "integration_tool_calls", "tenant_users",
    "tenant_api_keys", "tenant_channels", "tenant_assets", "slack_logs", "email_logs",
]  # fmt: skip
GENERATED = [name for name in OF_TENANTS if name != "tenants"] + ["tenants", "platform_admins"]


def definitions(table: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = %s AND schemaname = current_schema()", [table]
        )
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize(("table", "columns"), UNIQUE)
def test_what_is_unique(db: None, table: str, columns: str) -> None:
    assert [d for d in definitions(table) if d.startswith("CREATE UNIQUE") and d.endswith(columns)]


@pytest.mark.parametrize(("table", "columns"), PLAIN)
def test_what_is_looked_up(db: None, table: str, columns: str) -> None:
    assert [d for d in definitions(table) if columns in d]


@pytest.mark.parametrize("table", OF_TENANTS)
def test_a_tenants_rows_go_with_it(db: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT confdeltype FROM pg_constraint WHERE contype = 'f'"
            " AND conrelid = %s::regclass AND confrelid = 'tenants'::regclass",
            [table],
        )
        found = [kind for (kind,) in cursor.fetchall()]
    assert found and set(found) == {"c"}


@pytest.mark.parametrize("table", GENERATED)
def test_keys_are_made_by_the_database_too(db: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT data_type, column_default FROM information_schema.columns"
            " WHERE table_name = %s AND column_name = 'id' AND table_schema = current_schema()",
            [table],
        )
        assert cursor.fetchone() == ("uuid", "gen_random_uuid()")
