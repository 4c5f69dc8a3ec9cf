"""A community with an open web chat, and Root on a real port."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.site import Site

if TYPE_CHECKING:
    from apps.tenancy.models import Tenant, TenantChannel

TOKEN = "a-token-for-the-test-page"
CONFIG: dict[str, Any] = {
    "title": "Ask Pilot about the harbour",
    "examples": ["May I bring a guest?", "Which room is free at two?"],
    "people": [{"email": "ines@harbour.example", "name": "Ines", "tier": "member"}],
}


@pytest.fixture
def token() -> str:
    return TOKEN


@pytest.fixture
def web_channel(tenant: Tenant) -> TenantChannel:
    from apps.tenancy.context import tenant_context
    from apps.tenancy.models import TenantChannel

    with tenant_context(tenant):
        channel: TenantChannel = TenantChannel.objects.create(
            type="web", config=CONFIG, secrets={"access_token": TOKEN}
        )
        return channel


@pytest.fixture
def fresh_turn_pool() -> Iterator[None]:
    from apps.channels.turn_pool import turn_pool

    turn_pool.cache_clear()
    yield
    turn_pool.cache_clear()


@pytest.fixture
def site(committed_db: None, fresh_turn_pool: None) -> Iterator[str]:
    with Site() as running:
        yield running.base_url
