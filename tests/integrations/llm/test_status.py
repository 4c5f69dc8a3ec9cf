"""Whether a language model is connected, told apart from one of one's own that needs no key."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from apps.integrations.llm.status import is_offline, model_status

HOSTED = "https://openrouter.ai/api/v1"


@pytest.mark.parametrize(
    ("environment", "status"),
    [
        ({"openrouter_api_key": SecretStr("k"), "openrouter_base_url": HOSTED}, "connected"),
        ({"openrouter_api_key": None, "openrouter_base_url": HOSTED}, "missing"),
        ({"openrouter_api_key": SecretStr(""), "openrouter_base_url": HOSTED}, "missing"),
        ({"openrouter_api_key": None, "openrouter_base_url": "http://127.0.0.1:11434/v1"}, "connected"),
        (
            {"openrouter_api_key": None, "openrouter_base_url": "https://openrouter.ai.example/v1"},
            "connected",
        ),
        ({"root_offline_model": True, "openrouter_base_url": "http://127.0.0.1:9/v1"}, "stand_in"),
    ],
)
def test_status(settings: Any, environment: dict[str, Any], status: str) -> None:
    settings.ENV = settings.ENV.model_copy(update=environment)
    assert model_status() == status
    assert is_offline() == (status != "connected")
