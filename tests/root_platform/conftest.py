"""A community behind a web process of its own, with everything it writes kept in one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugins.community import Community
from tests.root_platform.processes import Processes

TOKEN = "a-token-for-the-house"


@pytest.fixture
def token(community: Community) -> str:
    """Opens the community's web chat."""
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import TenantChannel

    with tenant_context(community.tenant):
        TenantChannel.objects.create(type="web", secrets={"access_token": TOKEN})
    return TOKEN


@pytest.fixture
def house(database_url: str, community: Community, token: str, tmp_path: Path) -> Iterator[Processes]:
    """Processes that speak to the community's fakes; without Redis, so that the web runs its jobs too."""
    environment = {
        **os.environ,
        "DATABASE_URL": database_url,
        "OPENROUTER_BASE_URL": community.llm.base_url,
        "OPENROUTER_API_KEY": "test-key",
    }
    environment.pop("REDIS_URL", None)
    found = Processes(environment, log=tmp_path / "processes.log")
    yield found
    found.end()
