"""A database that falls silent, or drops its connections, is given up and taken up again."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg_pool import ConnectionPool, PoolTimeout

from apps.foundation.database_url import connection_settings
from apps.foundation.patient_connection import PatientConnection
from tests.fakes.database_proxy import DatabaseProxy


class Impatient(PatientConnection):
    """The same in tenths of a second."""

    statement_seconds = 0.4
    sign_of_life_seconds = 0.2


@pytest.fixture
def proxy(database_url: str) -> Iterator[DatabaseProxy]:
    with DatabaseProxy(database_url) as running:
        yield running


@pytest.fixture
def pool(proxy: DatabaseProxy) -> Iterator[ConnectionPool[Impatient]]:
    with ConnectionPool(
        proxy.url,
        connection_class=Impatient,
        kwargs={"autocommit": True, "connect_timeout": 2},
        check=ConnectionPool.check_connection,
        min_size=1,
        max_size=8,
        timeout=2.0,
        reconnect_timeout=1.0,
    ) as opened:
        opened.wait()
        yield opened


def ask(pool: ConnectionPool[Impatient]) -> int:
    with pool.connection() as lent:
        return int(lent.execute("SELECT 41 + 1").fetchall()[0][0])


def until_it_answers(pool: ConnectionPool[Impatient]) -> int:
    for _ in range(60):
        try:
            return ask(pool)
        except psycopg.OperationalError:
            continue
    raise AssertionError("it never came back")


def test_a_statement_without_an_answer_is_given_up(proxy: DatabaseProxy) -> None:
    with Impatient.connect(proxy.url, autocommit=True) as lent:
        proxy.flowing.clear()
        with pytest.raises(psycopg.OperationalError, match="did not answer in time"):
            lent.execute("SELECT 1")
        assert lent.closed and lent.broken
        proxy.flowing.set()


def test_a_slow_statement_within_its_time_is_waited_for(proxy: DatabaseProxy) -> None:
    with PatientConnection.connect(proxy.url, autocommit=True) as lent:
        assert lent.execute("SELECT pg_sleep(0.5), 7").fetchall()[0][1] == 7


def test_a_transaction_that_lost_its_server_ends_without_waiting_again(proxy: DatabaseProxy) -> None:
    with (
        pytest.raises(psycopg.OperationalError),
        Impatient.connect(proxy.url) as lent,
    ):
        lent.execute("SELECT 1")
        proxy.flowing.clear()
        with lent.transaction():
            lent.execute("SELECT 1")


def test_a_frozen_server_is_found_out_before_a_connection_is_lent(
    proxy: DatabaseProxy, pool: ConnectionPool[Impatient]
) -> None:
    assert ask(pool) == 42
    proxy.flowing.clear()
    with pytest.raises(PoolTimeout):
        ask(pool)
    proxy.flowing.set()
    assert until_it_answers(pool) == 42


def test_connections_that_were_reset_twice_are_replaced(
    proxy: DatabaseProxy, pool: ConnectionPool[Impatient]
) -> None:
    for _ in range(2):
        pool.resize(min_size=8, max_size=8)
        pool.wait()
        proxy.cut()
        # At once, however many lie there dead.
        assert ask(pool) == 42


def test_django_lends_patient_connections_with_limits_for_the_network(committed_db: None) -> None:
    connection.ensure_connection()
    assert isinstance(connection.connection, PatientConnection)
    options = connection_settings("postgresql://h/x", pool_size=2)["OPTIONS"]
    assert options["connect_timeout"] <= 5 and options["tcp_user_timeout"] <= 30_000
    assert options["keepalives_idle"] + options["keepalives_interval"] * options["keepalives_count"] <= 30


def test_settings_in_the_address_come_on_top_of_ours() -> None:
    options = connection_settings(
        "postgresql://h/x?connect_timeout=9&options=-c%20work_mem%3D64MB", pool_size=2
    )["OPTIONS"]
    assert options["connect_timeout"] == "9"
    assert "jit=off" in options["options"] and options["options"].endswith("-c work_mem=64MB")
