"""A connection is given back while something slow is awaited, and never out of a transaction."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from apps.foundation.database import TransactionHeld, released
from apps.foundation.database_url import connection_settings


def test_the_connection_goes_back_for_the_length_of_the_block(committed_db: None) -> None:
    connection.ensure_connection()
    with released():
        assert connection.connection is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def test_an_application_transaction_is_a_bug(committed_db: None) -> None:
    with transaction.atomic(), pytest.raises(TransactionHeld), released():
        pass


def test_the_transaction_of_a_test_is_left_alone(db: None) -> None:
    connection.ensure_connection()
    with released():
        assert connection.connection is not None
    with transaction.atomic(), pytest.raises(TransactionHeld), released():
        pass


def test_every_form_of_url_is_understood() -> None:
    entry = connection_settings("postgresql://ada:p%40ss@db.example:6543/root?sslmode=require", pool_size=7)
    assert [entry[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")] == [
        "root",
        "ada",
        "p@ss",
        "db.example",
        "6543",
    ]
    assert entry["OPTIONS"]["sslmode"] == "require" and entry["OPTIONS"]["pool"]["max_size"] == 7
    socket = connection_settings("postgresql://postgres:@/postgres?host=/run/pg", pool_size=2)
    assert (socket["HOST"], socket["NAME"]) == ("/run/pg", "postgres")


def test_server_settings_hold_in_every_session(committed_db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('jit'), current_setting('idle_in_transaction_session_timeout')"
        )
        assert cursor.fetchone() == ("off", "1min")


def test_a_pool_gives_up_soon_so_that_the_next_caller_starts_afresh() -> None:
    assert connection_settings("postgresql:///root", pool_size=2)["OPTIONS"]["pool"]["reconnect_timeout"] <= 5
