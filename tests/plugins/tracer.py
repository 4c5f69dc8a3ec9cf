"""The Opik package as it would be installed, without its servers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

PACKAGE = Path(__file__).resolve().parents[1] / "fakes" / "opik_package"
LOADED = ("opik", "litellm", "sentry_sdk")


def _forget() -> None:
    from apps.integrations.llm.opik_exporter import started

    started.forget()
    for name in LOADED:
        sys.modules.pop(name, None)


@pytest.fixture
def opik_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package can be imported; nobody has yet."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    for name in ("OPIK_SENTRY_ENABLE", "OPIK_ANALYTICS_ENABLE", "OPIK_DEFAULT_FLUSH_TIMEOUT"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    _forget()
    yield
    _forget()


@pytest.fixture
def opik(opik_installed: None, settings: Any) -> Any:
    """The package with a key set: ``opik().spans`` and so on, once something was traced."""
    key = SecretStr("opik-secret")
    settings.ENV = settings.ENV.model_copy(update={"opik_api_key": key, "opik_project_name": "harbour"})

    def client() -> Any:
        return sys.modules["opik"].clients[-1]

    return client
