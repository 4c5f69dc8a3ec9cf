"""One drive for all tests that look at what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.isolation.drive import Drive, drive


@pytest.fixture(scope="package")
def driven(django_db_setup: None, django_db_blocker: Any) -> Iterator[Drive]:
    """Everything was done for everybody at once; the database is empty again."""
    from django.db import connections

    from tests.plugins.database import _empty_tables

    with django_db_blocker.unblock():
        try:
            seen = drive()
        finally:
            connections.close_all()
            _empty_tables()
            connections.close_all()
    yield seen
