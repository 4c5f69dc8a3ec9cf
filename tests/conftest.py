"""Real servers, one fixed cast, fakes at the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest_plugins = [
    "tests.plugins.database",
    "tests.plugins.cast",
    "tests.plugins.community",
    "tests.plugins.tracer",
]


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    """No test sees what another one cached."""
    from apps.foundation import ttl_cache

    ttl_cache.clear_all()
    yield
    ttl_cache.clear_all()


@pytest.fixture
def llm(settings: Any) -> Iterator[Any]:
    """A scripted OpenAI-compatible server, connected through Root's own client."""
    from pydantic import SecretStr

    from tests.fakes.llm import ScriptedLlm

    server = ScriptedLlm.start()
    settings.ENV = settings.ENV.model_copy(
        update={"openrouter_base_url": server.base_url, "openrouter_api_key": SecretStr("test-key")}
    )
    yield server
    server.stop()
