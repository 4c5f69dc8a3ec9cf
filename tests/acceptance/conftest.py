"""A fleet of real worker processes, with the queues a test names, on a Valkey database of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from tests.tenancy.jobs.processes import Fleet


@pytest.fixture
def fleet_of(database_url: str, llm: Any, settings: Any) -> Iterator[Callable[..., Fleet]]:
    """`fleet_of("embedding-audit")`: workers that have not been started yet."""
    address = os.environ["REDIS_URL"] + "?db=11"
    redis.Redis.from_url(address).flushdb()
    settings.ENV = settings.ENV.model_copy(update={"redis_url": address})
    made: list[Fleet] = []

    def fleet(*queues: str) -> Fleet:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "REDIS_URL": address,
            "OPENROUTER_BASE_URL": llm.base_url,
            "OPENROUTER_API_KEY": "test-key",
        }
        # Beside a process a queue there is the scheduler.
        size = len(queues) + 1
        made.append(Fleet(environment, size=size, module="tests.fakes.own_fleet", arguments=queues))
        return made[-1]

    yield fleet
    for each in made:
        each.end()
