"""A server at the wire for the tests of the guarded client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.backend import FakeBackend


@pytest.fixture
def site() -> Iterator[FakeBackend]:
    """An unsigned site on 127.0.0.1."""
    with FakeBackend(secret=None) as backend:
        yield backend
