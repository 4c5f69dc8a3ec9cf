"""One backend process for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scripts.reference_backend.house import House, start


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    process, house = start(tmp_path_factory.mktemp("house") / "port")
    yield house
    process.terminate()
    process.wait(timeout=30)
