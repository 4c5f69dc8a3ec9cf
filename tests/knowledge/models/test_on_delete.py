"""With a community goes what belongs to it: the database itself sees to that."""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_every_foreign_key_of_this_app_says_what_happens_on_delete() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'a'"
        )
        silent = {table for (table,) in cursor.fetchall()}
    mine = ("knowledge_", "keyword_", "slack_", "processed_slack_messages", "web_")
    assert not {table for table in silent if table.startswith(mine)}
