"""One leader at a time, and none that does not know it has lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from apps.tenancy.jobs.lease import Lease


@pytest.fixture
def two(committed_db: None) -> Iterator[tuple[Lease, Lease]]:
    first, second = Lease(), Lease()
    yield first, second
    first.release()
    second.release()


def test_one_leads_and_the_other_waits(two: tuple[Lease, Lease]) -> None:
    first, second = two
    assert first.acquire() is True
    assert second.acquire() is False
    first.release()
    assert second.acquire() is True


def test_a_leader_whose_session_ends_notices(two: tuple[Lease, Lease]) -> None:
    first, second = two
    first.acquire()
    assert first.held() is True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7310043"
            " AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        assert cursor.rowcount == 1
    assert first.held() is False
    assert second.acquire() is True


def test_a_lease_never_taken_is_not_held() -> None:
    assert Lease().held() is False
