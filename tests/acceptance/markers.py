"""Every secret there is, each with a marker of its own, and where else than in its home one could turn up."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

from django.db import connection
from psycopg import sql

# Where a secret is meant to lie. Every other column of every table is read.
HOMES = {
    ("integrations", "signing_secret"),
    ("tenant_channels", "secrets"),
    ("tenant_credentials", "value"),
    ("knowledge_sources", "secrets"),
}
PREFIX = "hush-"


class Markers:
    """Makes markers by name and finds them again in what was written."""

    def __init__(self) -> None:
        self.named: dict[str, str] = {}

    def new(self, name: str) -> str:
        """A secret nobody else has."""
        return self.keep(name, f"{PREFIX}{secrets.token_hex(20)}")

    def keep(self, name: str, secret: str) -> str:
        """Watches a secret that was made elsewhere."""
        self.named[name] = secret
        return secret

    def found_in(self, text: str) -> list[str]:
        """The names of all secrets, whole or the greater part of one, in a text."""
        return [
            name
            for name, secret in self.named.items()
            if secret in text or secret[: len(secret) * 2 // 3] in text
        ]


def readable_columns() -> Iterator[tuple[str, str, str]]:
    """Table, column and all its text, for every column that holds any and is no secret's home."""
    for table in sorted(connection.introspection.table_names()):
        for column in _texts(table):
            if (table, column) not in HOMES:
                yield table, column, _whole(table, column)


def _texts(table: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = %s "
            "AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')",
            [table],
        )
        return [str(row[0]) for row in cursor.fetchall()]


def _whole(table: str, column: str) -> str:
    query: Any = sql.SQL("SELECT string_agg({}::text, E'\\n') FROM {}").format(
        sql.Identifier(column), sql.Identifier(table)
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return str(cursor.fetchone()[0] or "")
