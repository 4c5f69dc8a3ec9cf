"""Statements of a search outside any transaction, as in service: what fails is fenced in, and nothing stays open."""

from django.db import connection
from psycopg.pq import TransactionStatus

from apps.knowledge.retrieval.execution import Statement, run_statements


def test_outside_a_transaction_a_failed_lane_leaves_none_behind(committed_db: None) -> None:
    rows = run_statements([Statement("wrong", "SELECT nonsense", {}), Statement("after", "SELECT 1", {})])
    assert rows == {"wrong": None, "after": [(1,)]}
    assert connection.connection.info.transaction_status == TransactionStatus.IDLE


def test_a_search_that_loses_its_connection_goes_on_with_a_new_one(committed_db: None) -> None:
    dying = Statement("dying", "SELECT pg_terminate_backend(pg_backend_pid())", {})
    assert run_statements([dying, Statement("after", "SELECT 1", {})]) == {"dying": None, "after": None}
    assert run_statements([Statement("again", "SELECT 1", {})]) == {"again": [(1,)]}


def test_settings_end_with_their_statement(committed_db: None) -> None:
    asked = "SELECT current_setting('enable_sort'), current_setting('statement_timeout')"
    rows = run_statements(
        [Statement("with", asked, {}, {"enable_sort": "off"}), Statement("without", asked, {})],
        timeout_ms=5_000,
    )
    assert rows == {"with": [("off", "5s")], "without": [("on", "5s")]}
    with connection.cursor() as cursor:
        cursor.execute(asked)
        assert cursor.fetchone() == ("on", "1min")


def test_nothing_a_statement_writes_stays(committed_db: None) -> None:
    run_statements([Statement("writing", "CREATE TABLE left_behind ()", {})])
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('left_behind')")
        assert cursor.fetchone() == (None,)
