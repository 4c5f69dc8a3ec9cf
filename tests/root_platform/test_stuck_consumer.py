"""A worker whose consuming loop stands still looks dead, however alive its process is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.test import Client

from tests.root_platform.processes import Processes, alive, until

pytestmark = pytest.mark.serial


@pytest.fixture
def processes(database_url: str, settings: Any, tmp_path: Path) -> Iterator[Processes]:
    address = os.environ["REDIS_URL"] + "?db=7"
    redis.Redis.from_url(address).flushdb()
    settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
    environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": address}
    found = Processes({**environment, "HELD_BY": str(tmp_path / "held")})
    yield found
    found.end()


def ready() -> int:
    return Client().get("/ready").status_code


def test_it_goes_dark_and_comes_back(processes: Processes, tmp_path: Path) -> None:
    fleet = processes.start("-m", "tests.fakes.held_fleet")
    until(lambda: ready() == 200, "the worker shows itself")
    everyone = processes.family(fleet.pid)
    (tmp_path / "held").touch()
    until(lambda: ready() == 503, "a loop that stands still is seen")
    assert all(map(alive, everyone))
    assert processes.family(fleet.pid) == everyone
    (tmp_path / "held").unlink()
    until(lambda: ready() == 200, "the loop goes on")
